package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	clusterNamespace = "default"
	sharedName       = "same"
	lastName         = "last"
	copyPrefix       = "copy-of-"
)

// clusterUnderTest is a cluster with a manager and an informer of its own.
type clusterUnderTest struct {
	name   string
	client client.Client

	mutex sync.Mutex
	// seen has a line for each state of a ConfigMap that the informer or the manager has seen.
	seen map[string]bool
	last chan struct{}
}

func (c *clusterUnderTest) see(by string, object *corev1.ConfigMap) {
	if writer, ok := object.Data["writer"]; ok {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.seen[fmt.Sprintf("%s %s: %s of %s", c.name, by, object.Name, writer)] = true
	}
}

// Reconcile copies the writer of a ConfigMap into a Secret.
func (c *clusterUnderTest) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var found corev1.ConfigMap
	if err := c.client.Get(ctx, request.NamespacedName, &found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	c.see("manager", &found)
	if found.Name != sharedName {
		return ctrl.Result{}, nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: clusterNamespace, Name: copyPrefix + sharedName}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.client, secret, func() error {
		secret.Data = map[string][]byte{"writer": []byte(found.Data["writer"])}
		return nil
	})
	return ctrl.Result{}, err
}

// open starts the manager and the informer, and returns when both have their objects.
func (c *clusterUnderTest) open(ctx context.Context, kubeconfig string) {
	restConfig, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(err)
	skip := true
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &skip},
	})
	must(err)
	c.client = manager.GetClient()
	must(ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Complete(c))
	go func() { must(manager.Start(ctx)) }()
	clientset, err := kubernetes.NewForConfig(restConfig)
	must(err)
	factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0, informers.WithNamespace(clusterNamespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	handle := func(object any) {
		configMap := object.(*corev1.ConfigMap)
		c.see("informer", configMap)
		if configMap.Name == lastName && configMap.Data["writer"] == c.name {
			close(c.last)
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle,
		UpdateFunc: func(_, object any) { handle(object) },
	})
	must(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	manager.GetCache().WaitForCacheSync(ctx)
}

func (c *clusterUnderTest) write(ctx context.Context, name string) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: clusterNamespace, Name: name}}
	_, err := controllerutil.CreateOrPatch(ctx, c.client, object, func() error {
		object.Data = map[string]string{"writer": c.name}
		return nil
	})
	must(err)
}

// copied waits until the manager has copied what was written here.
func (c *clusterUnderTest) copied(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		var secret corev1.Secret
		key := client.ObjectKey{Namespace: clusterNamespace, Name: copyPrefix + sharedName}
		if c.client.Get(ctx, key, &secret) == nil && string(secret.Data["writer"]) == c.name {
			return
		}
	}
	must(ctx.Err())
}

// runClusters has a manager and an informer for each cluster NAME=KUBECONFIG at once. In all of them it writes objects with the
// same names. It prints, sorted, what each manager and informer has seen.
func runClusters(arguments []string) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	all := []*clusterUnderTest{}
	for _, argument := range arguments {
		name, kubeconfig, _ := strings.Cut(argument, "=")
		c := &clusterUnderTest{name: name, seen: map[string]bool{}, last: make(chan struct{})}
		c.open(ctx, kubeconfig)
		all = append(all, c)
	}
	for _, c := range all {
		c.write(ctx, sharedName)
		c.write(ctx, "only-"+c.name)
	}
	for _, c := range all {
		c.copied(ctx)
	}
	for _, c := range all {
		c.write(ctx, lastName)
	}
	lines := []string{}
	for _, c := range all {
		select {
		case <-c.last:
		case <-ctx.Done():
			must(ctx.Err())
		}
		c.mutex.Lock()
		for line := range c.seen {
			// The manager may see this one later.
			if !strings.Contains(line, lastName) {
				lines = append(lines, line)
			}
		}
		c.mutex.Unlock()
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
