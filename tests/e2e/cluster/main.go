// SPDX-License-Identifier: Apache-2.0

// The programs of the end-to-end tests, all of them other people's: kube-apiserver with the etcd it needs, kubectl,
// kube-controller-manager and kube-scheduler. The name that it is called by says which.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
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

// kube-apiserver doesn't start without a key for service accounts, of which the tests have none.
func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(path, pem.EncodeToMemory(&block), 0o600)
}

// A directory for its data, then kube-apiserver's own arguments.
func serve(dir string, arguments []string) int {
	etcd, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	key := filepath.Join(dir, "accounts.key")
	if err := writeKey(key); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The program that started this one holds its standard input open.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	command := apiserver.NewAPIServerCommand()
	own := []string{
		"--etcd-servers=" + etcd,
		"--cert-dir=" + filepath.Join(dir, "certificates"),
		"--service-account-issuer=https://loopback",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
	}
	command.SetArgs(append(own, arguments...))
	return cli.Run(command)
}

func main() {
	switch filepath.Base(os.Args[0]) {
	case "kubectl":
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	default:
		os.Exit(serve(os.Args[1], os.Args[2:]))
	}
}
