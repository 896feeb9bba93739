package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// lampHooks defaults and validates Lamps.
type lampHooks struct{}

func (lampHooks) Default(_ context.Context, lamp *Lamp) error {
	if lamp.Spec.Colour == "" {
		lamp.Spec.Colour = "white"
	}
	return nil
}

func (h lampHooks) ValidateCreate(_ context.Context, lamp *Lamp) (admission.Warnings, error) {
	if lamp.Spec.Watts < 0 {
		return nil, fmt.Errorf("watts must not be negative")
	}
	return nil, nil
}

func (h lampHooks) ValidateUpdate(ctx context.Context, _, lamp *Lamp) (admission.Warnings, error) {
	return h.ValidateCreate(ctx, lamp)
}

func (lampHooks) ValidateDelete(context.Context, *Lamp) (admission.Warnings, error) { return nil, nil }

// lamps switches every Lamp on.
type lamps struct{ client.Client }

func (r lamps) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	lamp := &Lamp{}
	if err := r.Get(ctx, request.NamespacedName, lamp); err != nil || lamp.Status.IsOn {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	lamp.Status.IsOn = true
	return reconcile.Result{}, r.Status().Update(ctx, lamp)
}

// certificates writes those of a webhook server on loopback to a directory, and returns the authority.
func certificates() (directory string, authority []byte, err error) {
	authority, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return "", nil, err
	}
	if directory, err = os.MkdirTemp("", "lamps-"); err != nil {
		return "", nil, err
	}
	if err = os.WriteFile(filepath.Join(directory, "tls.crt"), authority, 0o600); err != nil {
		return "", nil, err
	}
	return directory, authority, os.WriteFile(filepath.Join(directory, "tls.key"), key, 0o600)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// runLamps runs an operator as kubebuilder makes it. It prints a line of JSON with the values of the files in lamps/, and `ready`
// when these have been installed and it serves.
func runLamps(config *rest.Config) error {
	directory, authority, err := certificates()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	port, err := freePort()
	if err != nil {
		return err
	}
	hooks := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: directory})
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: lampScheme(), Metrics: server.Options{BindAddress: "0"}, WebhookServer: hooks,
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(manager, &Lamp{}).WithDefaulter(lampHooks{}).WithValidator(lampHooks{}).Complete(); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&Lamp{}).Complete(lamps{manager.GetClient()}); err != nil {
		return err
	}
	line, _ := json.Marshal(map[string]any{"URL": fmt.Sprintf("https://127.0.0.1:%d", port), "CA": authority})
	fmt.Println(string(line))
	for {
		if _, err := manager.GetRESTMapper().RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Lamp"}, "v1"); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	context := ctrl.SetupSignalHandler()
	go func() {
		for hooks.StartedChecker()(nil) != nil {
			time.Sleep(5 * time.Millisecond)
		}
		if manager.GetCache().WaitForCacheSync(context) {
			fmt.Println("ready")
		}
	}()
	return manager.Start(context)
}
