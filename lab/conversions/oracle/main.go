// Program oracle converts objects between API versions with the conversion and defaulting functions of kube-apiserver.
//
// It reads JSON lines from standard input (see question) and writes one line for each: the list of answers, or an error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	crds "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	apiservices "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// question has an object and the apiVersions in which it is wanted. Each answer is made from the one before it, which is read as
// a request is: defaults are set. So the same apiVersion twice gives the object as it is read back from etcd.
type question struct {
	Object  json.RawMessage `json:"object"`
	Through []string        `json:"through"`
}

func main() {
	crds.Install(legacyscheme.Scheme)
	apiservices.Install(legacyscheme.Scheme)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var q question
		err := json.Unmarshal(in.Bytes(), &q)
		var answers []json.RawMessage
		if err == nil {
			answers, err = answer(q)
		}
		if err != nil {
			err = out.Encode(map[string]string{"error": err.Error()})
		} else {
			err = out.Encode(answers)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
	}
}

func answer(q question) ([]json.RawMessage, error) {
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme)
	reader := serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme,
		serializerjson.SerializerOptions{})
	decoder := codecs.DecoderToVersion(reader, runtime.InternalGroupVersioner)
	text := []byte(q.Object)
	var answers []json.RawMessage
	for _, version := range q.Through {
		gv, err := schema.ParseGroupVersion(version)
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		text, err = runtime.Encode(codecs.EncoderForVersion(reader, gv), object)
		if err != nil {
			return nil, err
		}
		answers = append(answers, text)
	}
	return answers, nil
}
