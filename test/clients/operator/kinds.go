package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// sample is one line of the input: an object and its resource.
type sample struct {
	// APIPath is `/api` or `/apis`; Namespace is empty for cluster-scoped kinds.
	APIPath, Resource, Namespace string
	Object                       json.RawMessage
}

// collection is a typed client for one resource, in one content type.
type collection struct {
	*rest.RESTClient
	sample
	name string
	ctx  context.Context
}

func (c *collection) of(request *rest.Request) *rest.Request {
	return request.NamespaceIfScoped(c.Namespace, c.Namespace != "").Resource(c.Resource)
}

func (c *collection) get() (runtime.Object, error) {
	return c.of(c.Get()).Name(c.name).Do(c.ctx).Get()
}

// runKinds reads samples and prints for each kind whether protobuf and JSON have the same content, for every verb.
func runKinds(config *rest.Config) {
	config.WarningHandler = rest.NoWarnings{}
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(apiextensionsv1.AddToScheme(scheme))
	must(apiregistrationv1.AddToScheme(scheme))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one sample
		must(json.Unmarshal(lines.Bytes(), &one))
		kind, err := tryKind(config, scheme, one)
		if err != nil {
			fmt.Printf("%s: %v\n", kind, err)
			continue
		}
		fmt.Printf("%s: equal\n", kind)
	}
}

func tryKind(config *rest.Config, scheme *runtime.Scheme, one sample) (string, error) {
	codecs := serializer.NewCodecFactory(scheme)
	object, gvk, err := codecs.UniversalDeserializer().Decode(one.Object, nil, nil)
	if err != nil {
		return one.Resource, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return gvk.String(), err
	}
	clientFor := func(contentType string) (*collection, error) {
		config := rest.CopyConfig(config)
		groupVersion := gvk.GroupVersion()
		config.GroupVersion, config.APIPath = &groupVersion, one.APIPath
		config.NegotiatedSerializer = codecs.WithoutConversion()
		config.ContentType, config.AcceptContentTypes = contentType, contentType
		client, err := rest.RESTClientFor(config)
		return &collection{RESTClient: client, sample: one, name: accessor.GetName(), ctx: ctx}, err
	}
	protobuf, err := clientFor(runtime.ContentTypeProtobuf)
	if err != nil {
		return gvk.String(), err
	}
	inJSON, err := clientFor(runtime.ContentTypeJSON)
	if err != nil {
		return gvk.String(), err
	}
	return gvk.String(), tryVerbs(object, protobuf, inJSON)
}

// tryVerbs creates, reads, lists, watches, updates and deletes the object in protobuf, and reads it in JSON.
func tryVerbs(object runtime.Object, protobuf, inJSON *collection) error {
	if err := protobuf.of(protobuf.Post()).Body(object).Do(protobuf.ctx).Error(); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	listed, version, err := protobuf.listed()
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := sameWhereUnchanged(listed, inJSON.get); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	options := metav1.ListOptions{FieldSelector: "metadata.name=" + protobuf.name, Watch: true, ResourceVersion: version}
	events, err := protobuf.of(protobuf.Get()).VersionedParams(&options, metav1.ParameterCodec).Watch(protobuf.ctx)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer events.Stop()
	updated, err := protobuf.updated()
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := sameWhereUnchanged(updated, inJSON.get); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	for event := range events.ResultChan() {
		if event.Type != watch.Modified {
			return fmt.Errorf("watch: %s %v", event.Type, event.Object)
		}
		if versionOf(event.Object) == versionOf(updated) {
			if err := same(event.Object, updated); err != nil {
				return fmt.Errorf("watch: %w", err)
			}
			break
		}
	}
	now := int64(0)
	return protobuf.of(protobuf.Delete()).Name(protobuf.name).Body(&metav1.DeleteOptions{GracePeriodSeconds: &now}).Do(protobuf.ctx).Error()
}

// listed finds the object in a list, and returns the list's resourceVersion.
func (c *collection) listed() (runtime.Object, string, error) {
	options := metav1.ListOptions{FieldSelector: "metadata.name=" + c.name}
	list, err := c.of(c.Get()).VersionedParams(&options, metav1.ParameterCodec).Do(c.ctx).Get()
	if err != nil {
		return nil, "", err
	}
	items, err := meta.ExtractList(list)
	if err != nil || len(items) != 1 {
		return nil, "", fmt.Errorf("%d items: %w", len(items), err)
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, "", err
	}
	return items[0], accessor.GetResourceVersion(), nil
}

// updated writes an annotation, and retries after a conflict with a controller.
func (c *collection) updated() (updated runtime.Object, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := c.get()
		if err != nil {
			return err
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		accessor.SetAnnotations(map[string]string{"seen": "yes"})
		updated, err = c.of(c.Put()).Name(c.name).Body(object).Do(c.ctx).Get()
		return err
	})
	return updated, err
}

func versionOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	must(err)
	return accessor.GetResourceVersion()
}

// sameWhereUnchanged reads the object in another way, and compares the two if the resourceVersion is unchanged.
func sameWhereUnchanged(object runtime.Object, read func() (runtime.Object, error)) error {
	other, err := read()
	if err != nil {
		return err
	}
	if versionOf(object) != versionOf(other) {
		return nil
	}
	return same(object, other)
}

// same compares two objects. Protobuf does not encode the kinds of embedded objects.
func same(object, other runtime.Object) error {
	object.GetObjectKind().SetGroupVersionKind(other.GetObjectKind().GroupVersionKind())
	for _, either := range []runtime.Object{object, other} {
		if set, ok := either.(*appsv1.StatefulSet); ok {
			for i := range set.Spec.VolumeClaimTemplates {
				set.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
			}
		}
	}
	if equality.Semantic.DeepEqual(object, other) {
		return nil
	}
	one, err := json.Marshal(object)
	must(err)
	two, err := json.Marshal(other)
	must(err)
	return fmt.Errorf("%s is not %s", one, two)
}
