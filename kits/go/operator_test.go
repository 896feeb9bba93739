package edgeplanetest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"edgeplane.dev/edgeplanetest"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// startOperator runs the program of an operator with webhooks until the end of the test, with its definition and their
// configurations installed: test/clients/operator.
func startOperator(t *testing.T, cluster *edgeplanetest.Cluster) {
	t.Helper()
	operator := exec.Command(os.Getenv("OPERATOR"), "lamps", cluster.KubeconfigFile())
	output, err := operator.StdoutPipe()
	if err == nil {
		err = operator.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = operator.Process.Kill()
		_ = operator.Wait()
	})
	lines := bufio.NewReader(output)
	line, _ := lines.ReadString('\n')
	// The values of the files: the URL of the webhooks, and their certificate authority.
	var values map[string]string
	if err := json.Unmarshal([]byte(line), &values); err != nil {
		t.Fatal(err)
	}
	cluster.Install(os.Getenv("OPERATOR_CONFIG"), values)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
}

func TestAnOperatorConvertsDefaultsAndValidatesLampsAndSwitchesEachOnByOneUpdate(t *testing.T) {
	if os.Getenv("OPERATOR") == "" {
		t.Skip("OPERATOR is not set")
	}
	t.Parallel()
	cluster := edgeplanetest.NewCluster(t)
	startOperator(t, cluster)
	lamps := func(version string) dynamic.ResourceInterface {
		resource := schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "lamps"}
		return dynamic.NewForConfigOrDie(cluster.Config).Resource(resource).Namespace("default")
	}
	create := func(version, name string, spec map[string]any) error {
		_, err := lamps(version).Create(context.Background(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/" + version, "kind": "Lamp", "metadata": map[string]any{"name": name}, "spec": spec,
		}}, v1.CreateOptions{})
		return err
	}
	if err := create("v1beta1", "desk", map[string]any{"power": "40W"}); err != nil {
		t.Fatal(err)
	}
	err := create("v1", "hall", map[string]any{"watts": int64(-1)})
	if !errors.IsForbidden(err) || !strings.Contains(err.Error(), "denied the request: watts must not be negative") {
		t.Errorf("not denied: %v", err)
	}
	for {
		desk, err := lamps("v1").Get(context.Background(), "desk", v1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if isOn, _, _ := unstructured.NestedBool(desk.Object, "status", "isOn"); isOn {
			watts, _, _ := unstructured.NestedInt64(desk.Object, "spec", "watts")
			colour, _, _ := unstructured.NestedString(desk.Object, "spec", "colour")
			if watts != 40 || colour != "white" {
				t.Errorf("the lamp has %d watts and is %s", watts, colour)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	updates := cluster.Requests(edgeplanetest.Match{Verb: "update", Resource: "lamps", Subresource: "status"})
	if len(updates) != 1 || updates[0].Code != 200 {
		t.Errorf("not exactly one update of status: %v", updates)
	}
}
