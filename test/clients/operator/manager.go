package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer  = "operator.edgeplane.dev/farewell"
	themeField = ".spec.theme"
)

func runManager(config *rest.Config, namespace, port string) error {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &wire{next: next, seen: map[string]bool{}, print: func(line string) { fmt.Println(line) }}
	})
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  newScheme(),
		LeaderElection:          true,
		LeaderElectionID:        "operator.edgeplane.dev",
		LeaderElectionNamespace: namespace,
		HealthProbeBindAddress:  "127.0.0.1:" + port,
		Metrics:                 server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	must(manager.AddHealthzCheck("ping", healthz.Ping))
	must(manager.AddReadyzCheck("synced", func(request *http.Request) error {
		if !manager.GetCache().WaitForCacheSync(request.Context()) {
			return fmt.Errorf("not synced")
		}
		return nil
	}))
	r := &websites{Client: manager.GetClient(), direct: manager.GetAPIReader(), recorder: manager.GetEventRecorder("operator")}
	if err := r.setUp(manager); err != nil {
		return err
	}
	err = manager.Start(ctrl.SetupSignalHandler())
	fmt.Println("ended")
	return err
}

// websites keeps a ConfigMap and a Deployment for each Website.
type websites struct {
	client.Client
	direct   client.Reader
	recorder events.EventRecorder
}

func (r *websites) setUp(manager ctrl.Manager) error {
	err := manager.GetFieldIndexer().IndexField(context.Background(), &Website{}, themeField, func(object client.Object) []string {
		return []string{object.(*Website).Spec.Theme}
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).
		For(&Website{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.ofTheme), builder.OnlyMetadata).
		Complete(r)
}

// ofTheme returns the Websites of the theme whose Secret has changed.
func (r *websites) ofTheme(ctx context.Context, secret client.Object) []reconcile.Request {
	var found WebsiteList
	theme := strings.TrimPrefix(secret.GetName(), "theme-")
	if err := r.List(ctx, &found, client.InNamespace(secret.GetNamespace()), client.MatchingFields{themeField: theme}); err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
	}
	requests := []reconcile.Request{}
	for _, website := range found.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&website)})
	}
	return requests
}

func (r *websites) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var website Website
	if err := r.Get(ctx, request.NamespacedName, &website); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !website.DeletionTimestamp.IsZero() {
		return r.farewell(ctx, &website)
	}
	if !controllerutil.ContainsFinalizer(&website, finalizer) {
		before := website.DeepCopy()
		controllerutil.AddFinalizer(&website, finalizer)
		if err := r.Patch(ctx, &website, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	if err := r.keepConfigMap(ctx, &website); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.keepDeployment(ctx, &website); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &website)
}

func (r *websites) farewell(ctx context.Context, website *Website) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(website, finalizer) {
		return ctrl.Result{}, nil
	}
	before := website.DeepCopy()
	controllerutil.RemoveFinalizer(website, finalizer)
	err := r.Patch(ctx, website, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if errors.IsConflict(err) {
		// The garbage collector has removed its finalizer, or the status was reported just before. No event that passes the
		// predicates has to follow.
		return ctrl.Result{RequeueAfter: 10 * time.Millisecond}, nil
	}
	if err == nil {
		r.recorder.Eventf(website, nil, corev1.EventTypeNormal, "Farewell", "Delete", "website %s goes", website.Name)
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

// keepConfigMap reads the theme's colour without the cache, which contains only the metadata of Secrets.
func (r *websites) keepConfigMap(ctx context.Context, website *Website) error {
	var theme corev1.Secret
	key := types.NamespacedName{Namespace: website.Namespace, Name: "theme-" + website.Spec.Theme}
	if err := r.direct.Get(ctx, key, &theme); client.IgnoreNotFound(err) != nil {
		return err
	}
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: website.Namespace, Name: website.Name + "-pages"}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, pages, func() error {
		pages.Data = map[string]string{"pages": strings.Join(website.Spec.Pages, "\n"), "colour": string(theme.Data["colour"])}
		return controllerutil.SetControllerReference(website, pages, r.Scheme())
	})
	if result == controllerutil.OperationResultCreated {
		r.recorder.Eventf(website, pages, corev1.EventTypeNormal, "Created", "Create", "pages of %s created", website.Name)
	}
	return err
}

func (r *websites) keepDeployment(ctx context.Context, website *Website) error {
	labels := map[string]string{"website": website.Name}
	owner := metaapply.OwnerReference().WithAPIVersion(groupVersion.String()).WithKind("Website").
		WithName(website.Name).WithUID(website.UID).WithController(true).WithBlockOwnerDeletion(true)
	container := coreapply.Container().WithName("web").WithImage(website.Spec.Image).
		WithPorts(coreapply.ContainerPort().WithName("http").WithContainerPort(8080))
	deployment := appsapply.Deployment(website.Name, website.Namespace).WithOwnerReferences(owner).WithLabels(labels).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(*website.Spec.Replicas).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().WithContainers(container))))
	return r.Apply(ctx, deployment, client.FieldOwner("operator"), client.ForceOwnership)
}

func (r *websites) report(ctx context.Context, website *Website) error {
	var deployment appsv1.Deployment
	if err := r.Get(ctx, client.ObjectKeyFromObject(website), &deployment); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := website.DeepCopy()
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Waiting", ObservedGeneration: website.Generation}
	if deployment.Status.AvailableReplicas == *website.Spec.Replicas {
		ready.Status, ready.Reason = metav1.ConditionTrue, "Available"
	}
	ready.Message = fmt.Sprintf("%d of %d available", deployment.Status.AvailableReplicas, *website.Spec.Replicas)
	meta.SetStatusCondition(&website.Status.Conditions, ready)
	website.Status.ObservedGeneration = website.Generation
	website.Status.Replicas = deployment.Status.Replicas
	website.Status.Selector = "website=" + website.Name
	return client.IgnoreNotFound(r.Status().Patch(ctx, website, client.MergeFrom(before)))
}
