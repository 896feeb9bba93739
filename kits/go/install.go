package edgeplanetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

var placeholder = regexp.MustCompile(`\$\{(\w+)\}`)

// Install creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names: definitions,
// configurations of webhooks and any others. values replace ${NAME} in the files.
func (c *Cluster) Install(path string, values map[string]string) {
	c.t.Helper()
	files, err := filesIn(path)
	if err != nil {
		c.t.Fatal(err)
	}
	objects, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		c.t.Fatal(err)
	}
	known, err := discovery.NewDiscoveryClientForConfig(c.Config)
	if err != nil {
		c.t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(known))
	for _, file := range files {
		if err := installFile(objects, mapper, file, values); err != nil {
			c.t.Fatalf("%s: %v", file, err)
		}
	}
}

func filesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	var files []string
	for _, entry := range entries {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	return files, err
}

func installFile(objects dynamic.Interface, mapper meta.RESTMapper, file string, values map[string]string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = placeholder.ReplaceAllFunc(text, func(found []byte) []byte {
		if value, ok := values[string(found[2:len(found)-1])]; ok {
			return []byte(value)
		}
		return found
	})
	for documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := create(objects, mapper, object); err != nil {
			return err
		}
	}
}

func create(objects dynamic.Interface, mapper meta.RESTMapper, object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	var client dynamic.ResourceInterface = objects.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace := object.GetNamespace()
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		client = objects.Resource(mapping.Resource).Namespace(namespace)
	}
	_, err = client.Create(context.Background(), object, metav1.CreateOptions{})
	return err
}
