// Runs a reflector of client-go for the ConfigMaps of one namespace, as every controller in Go does. For each line of
// input it prints its cache as one line of JSON: names with resourceVersions. A violation of the watch guarantees ends it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// ordered is a store that records the newest resourceVersion of each name, including deleted ones.
type ordered struct {
	cache.Store
	mutex  sync.Mutex
	newest map[string]uint64
}

func (o *ordered) see(event string, object any) {
	configMap, ok := object.(*corev1.ConfigMap)
	if !ok {
		return
	}
	version, err := strconv.ParseUint(configMap.ResourceVersion, 10, 64)
	if err != nil {
		fail("%s of %s at version %q", event, configMap.Name, configMap.ResourceVersion)
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if version <= o.newest[configMap.Name] {
		fail("%s of %s at %d after %d", event, configMap.Name, version, o.newest[configMap.Name])
	}
	o.newest[configMap.Name] = version
}

func (o *ordered) Add(object any) error {
	o.see("ADDED", object)
	return o.Store.Add(object)
}

func (o *ordered) Update(object any) error {
	o.see("MODIFIED", object)
	return o.Store.Update(object)
}

func (o *ordered) Delete(object any) error {
	o.see("DELETED", object)
	return o.Store.Delete(object)
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fail("%v", err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail("%v", err)
	}
	lists := cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", os.Args[2], func(*metav1.ListOptions) {})
	store := &ordered{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), newest: map[string]uint64{}}
	reflector := cache.NewReflectorWithOptions(lists, &corev1.ConfigMap{}, store, cache.ReflectorOptions{
		// Short, so that a soak of minutes restarts many watches.
		MinWatchTimeout: 5 * time.Second,
	})
	go reflector.RunWithContext(context.Background())

	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		versions := map[string]string{}
		for _, object := range store.List() {
			configMap := object.(*corev1.ConfigMap)
			versions[configMap.Name] = configMap.ResourceVersion
		}
		line, _ := json.Marshal(versions)
		fmt.Println(string(line))
	}
}
