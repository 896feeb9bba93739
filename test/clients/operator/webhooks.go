package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// podHooks defaults and validates Pods, as the webhook builder calls it.
type podHooks struct{}

func (podHooks) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["defaulted"] = "yes"
	return nil
}

func (podHooks) ValidateCreate(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	if pod.Labels["team"] == "" {
		return admission.Warnings{"a team is expected"}, fmt.Errorf("the Pod has no team")
	}
	return admission.Warnings{"welcome"}, nil
}

func (podHooks) ValidateUpdate(_ context.Context, old, pod *corev1.Pod) (admission.Warnings, error) {
	if old.Labels["team"] != pod.Labels["team"] {
		return nil, fmt.Errorf("the team is immutable")
	}
	return nil, nil
}

func (podHooks) ValidateDelete(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	if pod.Labels["keep"] != "" {
		return nil, fmt.Errorf("the Pod is kept")
	}
	return nil, nil
}

// runWebhooks serves the webhooks of the builder until the process is ended.
func runWebhooks(config *rest.Config, port, certificates string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:        newScheme(),
		Metrics:       server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: number, CertDir: certificates}),
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(manager, &corev1.Pod{}).WithDefaulter(podHooks{}).WithValidator(podHooks{}).Complete(); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
