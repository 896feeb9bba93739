package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var groupVersion = schema.GroupVersion{Group: "operator.edgeplane.dev", Version: "v1"}

// Website is the custom resource for which the operator makes a Deployment and a ConfigMap.
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WebsiteSpec   `json:"spec"`
	Status            WebsiteStatus `json:"status,omitempty"`
}

type WebsiteSpec struct {
	Image    string   `json:"image"`
	Replicas *int32   `json:"replicas,omitempty"`
	Theme    string   `json:"theme,omitempty"`
	Pages    []string `json:"pages,omitempty"`
}

type WebsiteStatus struct {
	Replicas           int32              `json:"replicas,omitempty"`
	Selector           string             `json:"selector,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type WebsiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Website `json:"items"`
}

func (w *Website) DeepCopyObject() runtime.Object { return w.DeepCopy() }

func (w *Website) DeepCopy() *Website {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	if w.Spec.Replicas != nil {
		replicas := *w.Spec.Replicas
		copied.Spec.Replicas = &replicas
	}
	copied.Spec.Pages = append([]string(nil), w.Spec.Pages...)
	copied.Status.Conditions = append([]metav1.Condition(nil), w.Status.Conditions...)
	return &copied
}

func (l *WebsiteList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Website, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopy()
	}
	return &copied
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	scheme.AddKnownTypes(groupVersion, &Website{}, &WebsiteList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme
}
