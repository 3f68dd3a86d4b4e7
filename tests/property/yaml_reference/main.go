// SPDX-License-Identifier: Apache-2.0

// Reads YAML as kubectl and the API server do: prints, for each file on standard input, its documents as JSON.
// A file is its length on a line, then its bytes; its answer is a line: a JSON list, null for a document that is refused.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type answer struct {
	Documents []json.RawMessage `json:"documents"`
	Refused   []string          `json:"refused"`
}

func read(text []byte) answer {
	out := answer{Documents: []json.RawMessage{}, Refused: []string{}}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if err == io.EOF {
			return out
		}
		if err != nil {
			out.Refused = append(out.Refused, err.Error())
			return out
		}
		value, err := convert(document)
		if err != nil {
			out.Refused = append(out.Refused, err.Error())
		} else if string(value) != "null" {
			out.Documents = append(out.Documents, value)
		}
	}
}

func convert(document []byte) (value []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return yaml.YAMLToJSONStrict(document)
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var length int
		if _, err := fmt.Fscanf(in, "%d\n", &length); err != nil {
			return
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(in, text); err != nil {
			return
		}
		line, err := json.Marshal(read(text))
		if err != nil {
			line = []byte(`{"documents": [], "refused": ["not JSON"]}`)
		}
		out.Write(append(line, '\n'))
	}
}
