// The programs of the end-to-end tests, all of them other people's: kube-apiserver with the etcd it needs, and
// kubectl. The name that it is called by says which.
package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Listens on a port of the system's choice and gives its URL.
func startEtcd(dir string) (string, error) {
	config := embed.NewConfig()
	config.Dir = dir
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.EnableGRPCGateway = false
	anywhere := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls = []url.URL{anywhere}
	config.ListenPeerUrls = []url.URL{anywhere}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	<-server.Server.ReadyNotify()
	return "http://" + server.Clients[0].Addr().String(), nil
}

// The data directory, then kube-apiserver's own arguments.
func serve(dir string, arguments []string) int {
	etcd, err := startEtcd(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	// Whoever started this holds its standard input open.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{"--etcd-servers=" + etcd}, arguments...))
	return cli.Run(command)
}

func main() {
	if filepath.Base(os.Args[0]) == "kubectl" {
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	}
	os.Exit(serve(os.Args[1], os.Args[2:]))
}
