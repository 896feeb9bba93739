package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scenario is a client without a cache, and the dependencies of its steps.
type scenario struct {
	client.WithWatch
	ctx       context.Context
	namespace string
}

func runScenario(config *rest.Config, namespace string) {
	namespaceOfRun = namespace
	wires := []string{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &wire{next: next, seen: map[string]bool{}, print: func(line string) { wires = append(wires, line) }}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := client.NewWithWatch(config, client.Options{Scheme: newScheme()})
	must(err)
	s := &scenario{WithWatch: c, ctx: ctx, namespace: namespace}
	for _, step := range []struct {
		name string
		run  func(*scenario)
	}{
		{"mapping", (*scenario).mapping},
		{"refusals", (*scenario).refusals},
		{"reconciled", (*scenario).reconciled},
		{"healed", (*scenario).healed},
		{"scaled", (*scenario).scaled},
		{"conflicts", (*scenario).conflicts},
		{"applied", (*scenario).applied},
		{"untyped", (*scenario).untyped},
		{"subresources", (*scenario).subresources},
		{"watched", (*scenario).watched},
		{"listed", (*scenario).listed},
		{"deleted", (*scenario).deleted},
	} {
		fmt.Println("#", step.name)
		step.run(s)
	}
	fmt.Println("# wire")
	sort.Strings(wires)
	for i, line := range wires {
		if i == 0 || line != wires[i-1] {
			fmt.Println(line)
		}
	}
}

// namespaceOfRun is a name that occurs in no other text.
var namespaceOfRun string

var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\(\d+\)`), "(VERSION)"},
	{regexp.MustCompile(`"(resourceVersion|time|creationTimestamp)":"?[^",}]*"?`), `"$1":""`},
}

// tell prints a value as JSON, without values that differ between runs.
func tell(what string, value any) {
	var text []byte
	switch v := value.(type) {
	case error:
		text = []byte(v.Error())
	case string:
		text = []byte(v)
	default:
		var err error
		text, err = json.Marshal(v)
		must(err)
	}
	text = bytes.ReplaceAll(text, []byte(namespaceOfRun), []byte("NAMESPACE"))
	for _, c := range changing {
		text = c.what.ReplaceAll(text, []byte(c.with))
	}
	fmt.Printf("%s: %s\n", what, text)
}

// refused prints an error, and ends the program if there is no error.
func refused(what string, err error) {
	if err == nil {
		must(fmt.Errorf("%s: no error", what))
	}
	tell(what, err)
}

// show prints an object without values that differ between runs; each field manager on one line.
func (s *scenario) show(what string, object client.Object) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	must(err)
	shown := unstructured.Unstructured{Object: content}
	managers := []string{}
	for _, m := range shown.GetManagedFields() {
		managers = append(managers, strings.Join([]string{m.Manager, string(m.Operation), m.Subresource, string(m.FieldsV1.GetRawBytes())}, " "))
	}
	shown.SetManagedFields(nil)
	tell(what, shown.Object)
	sort.Strings(managers)
	tell(what+" managers", managers)
}

func (s *scenario) until(what string, done func() bool) {
	err := wait.PollUntilContextTimeout(s.ctx, 20*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return done(), nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed: waited for", what)
		os.Exit(1)
	}
}

// untilSeen reads an object until it exists and satisfies the condition.
func (s *scenario) untilSeen(object client.Object, is func() bool) {
	s.until(object.GetName(), func() bool {
		return s.Get(s.ctx, client.ObjectKeyFromObject(object), object) == nil && is()
	})
}

func (s *scenario) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: s.namespace, Name: name}
}

func (s *scenario) website(name string, spec WebsiteSpec) *Website {
	return &Website{ObjectMeta: s.named(name), Spec: spec}
}

func (s *scenario) configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: s.named(name)}
}
