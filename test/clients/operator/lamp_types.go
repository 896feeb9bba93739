package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// Lamp is the stored version of a custom resource with a webhook of each kind.
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              LampSpec   `json:"spec,omitempty"`
	Status            LampStatus `json:"status,omitempty"`
}

type LampSpec struct {
	Watts  int    `json:"watts"`
	Colour string `json:"colour,omitempty"`
}

type LampStatus struct {
	IsOn bool `json:"isOn,omitempty"`
}

type LampList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Lamp `json:"items"`
}

// LampV1beta1 is an earlier version: its power is a text such as `40W`.
type LampV1beta1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              LampV1beta1Spec `json:"spec,omitempty"`
	Status            LampStatus      `json:"status,omitempty"`
}

type LampV1beta1Spec struct {
	Power  string `json:"power"`
	Colour string `json:"colour,omitempty"`
}

// Hub marks the version to and from which all others are converted.
func (*Lamp) Hub() {}

func (l *LampV1beta1) ConvertTo(hub conversion.Hub) error {
	lamp := hub.(*Lamp)
	lamp.ObjectMeta, lamp.Status, lamp.Spec.Colour = l.ObjectMeta, l.Status, l.Spec.Colour
	if _, err := fmt.Sscanf(l.Spec.Power, "%dW", &lamp.Spec.Watts); err != nil {
		return fmt.Errorf("the power %q is no number of watts", l.Spec.Power)
	}
	return nil
}

func (l *LampV1beta1) ConvertFrom(hub conversion.Hub) error {
	lamp := hub.(*Lamp)
	l.ObjectMeta, l.Status, l.Spec.Colour = lamp.ObjectMeta, lamp.Status, lamp.Spec.Colour
	l.Spec.Power = fmt.Sprintf("%dW", lamp.Spec.Watts)
	return nil
}

func (l *Lamp) DeepCopyObject() runtime.Object {
	copied := *l
	l.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (l *LampV1beta1) DeepCopyObject() runtime.Object {
	copied := *l
	l.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (l *LampList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Lamp, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*Lamp)
	}
	return &copied
}

func lampScheme() *runtime.Scheme {
	scheme := newScheme()
	v1 := schema.GroupVersion{Group: "example.com", Version: "v1"}
	v1beta1 := schema.GroupVersion{Group: "example.com", Version: "v1beta1"}
	scheme.AddKnownTypes(v1, &Lamp{}, &LampList{})
	scheme.AddKnownTypeWithName(v1beta1.WithKind("Lamp"), &LampV1beta1{})
	metav1.AddToGroupVersion(scheme, v1)
	metav1.AddToGroupVersion(scheme, v1beta1)
	return scheme
}
