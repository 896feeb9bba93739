package main

import (
	"context"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/sample-apiserver/pkg/cmd/server"
)

// startEtcd serves an etcd on Unix sockets in the directory, which becomes the working directory, and returns its URL.
func startEtcd(directory string) (string, error) {
	if err := os.Chdir(directory); err != nil {
		return "", err
	}
	socket := func(name string) []url.URL {
		return []url.URL{{Scheme: "unix", Host: name}}
	}
	config := embed.NewConfig()
	config.Dir = "etcd"
	config.LogLevel = "error"
	config.ListenClientUrls, config.AdvertiseClientUrls = socket("client:1"), socket("client:1")
	config.ListenPeerUrls, config.AdvertisePeerUrls = socket("peer:1"), socket("peer:1")
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	<-etcd.Server.ReadyNotify()
	return config.ListenClientUrls[0].String(), nil
}

func sample(ctx context.Context, args []string) error {
	etcd, err := startEtcd(args[0])
	if err != nil {
		return err
	}
	options := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	command := server.NewCommandStartWardleServer(ctx, options, false)
	command.SetArgs(append([]string{"--etcd-servers=" + etcd}, args[1:]...))
	return command.ExecuteContext(ctx)
}
