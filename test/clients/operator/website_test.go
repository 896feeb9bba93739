package main

import (
	"context"
	"testing"
	"time"

	"edgeplane.dev/clients/operator/edgeplane"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// A test of a controller as it is written for envtest; only the server differs.
func TestAWebsiteGetsADeployment(t *testing.T) {
	began := time.Now()
	existing := true
	environment := &envtest.Environment{
		UseExistingCluster:    &existing,
		Config:                edgeplane.Start(t),
		CRDDirectoryPaths:     []string{"crds"},
		ErrorIfCRDPathMissing: true,
	}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the server and the definitions were there after %s", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { _ = environment.Stop() })

	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: newScheme(), Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &websites{Client: manager.GetClient(), direct: manager.GetAPIReader(), recorder: manager.GetEventRecorder("operator")}
	if err := r.setUp(manager); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	ended := make(chan error)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})

	c, err := client.New(config, client.Options{Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	website := &Website{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shop"}, Spec: WebsiteSpec{Image: "nginx"}}
	if err := c.Create(ctx, website); err != nil {
		t.Fatal(err)
	}
	deployment := &appsv1.Deployment{}
	err = wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(website), deployment)
		return err == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "nginx" {
		t.Errorf("the Deployment runs %s", image)
	}
}
