package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func pointer[T any](value T) *T { return &value }

func (s *scenario) mapping() {
	for _, kind := range []schema.GroupKind{groupVersion.WithKind("Website").GroupKind(), {Group: "apps", Kind: "Deployment"}, {Kind: "Namespace"}} {
		mapping, err := s.RESTMapper().RESTMapping(kind)
		must(err)
		tell(kind.String(), fmt.Sprint(mapping.Resource, " ", mapping.Scope.Name()))
	}
	_, err := s.RESTMapper().RESTMapping(schema.GroupKind{Group: "nobody.edgeplane.dev", Kind: "Nothing"})
	tell("no match", meta.IsNoMatchError(err))
}

func (s *scenario) refusals() {
	create := func(what string, spec WebsiteSpec) { refused(what, s.Create(s.ctx, s.website("refused", spec))) }
	create("two rules", WebsiteSpec{Image: "i", Theme: "dark", Replicas: pointer(int32(4)), Pages: []string{"/a", "b", "c"}})
	create("schema", WebsiteSpec{Theme: "blue", Replicas: pointer(int32(11)), Pages: []string{"/a", "/a"}})
	must(s.Create(s.ctx, s.website("pinned", WebsiteSpec{Image: "i:pinned"})))
	pinned := s.website("pinned", WebsiteSpec{})
	s.untilSeen(pinned, func() bool { return ready(pinned) != nil })
	before := pinned.DeepCopy()
	pinned.Spec.Image = "other"
	refused("transition", s.Patch(s.ctx, pinned, client.MergeFrom(before)))
	must(s.Delete(s.ctx, before))
	dry := s.website("dry", WebsiteSpec{Image: "i"})
	must(s.Create(s.ctx, dry, client.DryRunAll))
	tell("dry run", dry.Spec)
	tell("not kept", s.Get(s.ctx, client.ObjectKeyFromObject(dry), dry))
	strange := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"image": "i", "colour": "red"}}}
	strange.SetGroupVersionKind(groupVersion.WithKind("Website"))
	strange.SetNamespace(s.namespace)
	strange.SetName("strange")
	refused("strict", s.Create(s.ctx, &strange, client.FieldValidation("Strict")))
}

func ready(website *Website) *metav1.Condition {
	return meta.FindStatusCondition(website.Status.Conditions, "Ready")
}

func (s *scenario) reconciled() {
	must(s.Create(s.ctx, &corev1.Secret{ObjectMeta: s.named("theme-light"), StringData: map[string]string{"colour": "white"}}))
	must(s.Create(s.ctx, s.website("shop", WebsiteSpec{Image: "nginx", Theme: "light", Replicas: pointer(int32(2)), Pages: []string{"/", "/cart"}})))
	shop := s.website("shop", WebsiteSpec{})
	s.untilSeen(shop, func() bool { return ready(shop) != nil })
	s.show("website", shop)
	deployment := &appsv1.Deployment{ObjectMeta: s.named("shop")}
	must(s.Get(s.ctx, client.ObjectKeyFromObject(deployment), deployment))
	s.show("deployment", deployment)
	pages := s.configMap("shop-pages")
	must(s.Get(s.ctx, client.ObjectKeyFromObject(pages), pages))
	s.show("pages", pages)

	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}
	must(s.Status().Update(s.ctx, deployment))
	s.untilSeen(shop, func() bool { return ready(shop).Status == metav1.ConditionTrue })
	tell("status", shop.Status)
}

func (s *scenario) healed() {
	deployment := &appsv1.Deployment{ObjectMeta: s.named("shop")}
	must(s.Get(s.ctx, client.ObjectKeyFromObject(deployment), deployment))
	before := deployment.DeepCopy()
	deployment.Spec.Template.Spec.Containers[0].Image = "changed"
	must(s.Patch(s.ctx, deployment, client.StrategicMergeFrom(before)))
	s.untilSeen(deployment, func() bool { return deployment.Spec.Template.Spec.Containers[0].Image == "nginx" })
	tell("deployment generation", deployment.Generation)
	pages := s.configMap("shop-pages")
	must(s.Delete(s.ctx, pages))
	s.untilSeen(pages, func() bool { return pages.DeletionTimestamp == nil })
	tell("pages", pages.Data)
	secret := &corev1.Secret{ObjectMeta: s.named("theme-light")}
	must(s.Patch(s.ctx, secret, client.RawPatch("application/merge-patch+json", []byte(`{"stringData":{"colour":"ivory"}}`))))
	s.untilSeen(pages, func() bool { return pages.Data["colour"] == "ivory" })
	tell("pages", pages.Data)
}

func (s *scenario) scaled() {
	shop, scale := s.website("shop", WebsiteSpec{}), &autoscalingv1.Scale{}
	must(s.SubResource("scale").Get(s.ctx, shop, scale))
	s.show("scale", scale)
	scale.Spec.Replicas = 3
	must(s.SubResource("scale").Update(s.ctx, shop, client.WithSubResourceBody(scale)))
	deployment := &appsv1.Deployment{ObjectMeta: s.named("shop")}
	s.untilSeen(deployment, func() bool { return *deployment.Spec.Replicas == 3 })
	s.untilSeen(shop, func() bool { return shop.Status.ObservedGeneration == shop.Generation })
	s.show("website", shop)
	scale = &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 11}}
	refused("too large", s.SubResource("scale").Update(s.ctx, shop, client.WithSubResourceBody(scale)))
	must(s.SubResource("scale").Get(s.ctx, deployment, scale))
	tell("deployment scale", scale.Spec)
}

func (s *scenario) conflicts() {
	object := s.configMap("conflict")
	must(s.Create(s.ctx, object))
	stale := object.DeepCopy()
	object.Data = map[string]string{"a": "1"}
	must(s.Update(s.ctx, object))
	stale.Data = map[string]string{"a": "2"}
	refused("update", s.Update(s.ctx, stale))
	before := stale.DeepCopy()
	stale.Data = map[string]string{"a": "3"}
	refused("locked patch", s.Patch(s.ctx, stale, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
	must(s.Patch(s.ctx, stale, client.MergeFrom(before)))
	tell("patched", stale.Data)
	refused("precondition", s.Delete(s.ctx, object, client.Preconditions{UID: pointer(before.UID), ResourceVersion: &before.ResourceVersion}))
	again := s.configMap("conflict")
	refused("again", s.Create(s.ctx, again))
	must(s.Delete(s.ctx, object, client.Preconditions{UID: &before.UID}))
	refused("gone", s.Delete(s.ctx, object))
	refused("gone update", s.Update(s.ctx, stale))
}

func (s *scenario) applied() {
	apply := func(owner, colour string, options ...client.ApplyOption) error {
		configuration := coreapply.ConfigMap("applied", s.namespace).WithData(map[string]string{"colour": colour, "by-" + owner: "yes"})
		return s.Apply(s.ctx, configuration, append(options, client.FieldOwner(owner))...)
	}
	must(apply("one", "red"))
	refused("conflict", apply("two", "blue"))
	must(apply("two", "blue", client.ForceOwnership))
	object := s.configMap("applied")
	must(s.Get(s.ctx, client.ObjectKeyFromObject(object), object))
	s.show("applied", object)
	status := appsapply.Deployment("shop", s.namespace).WithStatus(appsapply.DeploymentStatus().WithCollisionCount(2))
	must(s.Status().Apply(s.ctx, status, client.FieldOwner("counter")))
	deployment := &appsv1.Deployment{ObjectMeta: s.named("shop")}
	must(s.Get(s.ctx, client.ObjectKeyFromObject(deployment), deployment))
	tell("status", deployment.Status)
	must(s.Delete(s.ctx, object))
}

func (s *scenario) untyped() {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(groupVersion.WithKind("Website"))
	must(s.Get(s.ctx, client.ObjectKey{Namespace: s.namespace, Name: "shop"}, object))
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	tell("unstructured", spec)
	deployment := &unstructured.Unstructured{}
	deployment.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	must(s.Get(s.ctx, client.ObjectKey{Namespace: s.namespace, Name: "shop"}, deployment))
	tell("unstructured deployment", deployment.Object["spec"])

	metadata := &metav1.PartialObjectMetadata{ObjectMeta: s.named("shop")}
	metadata.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	must(s.Get(s.ctx, client.ObjectKeyFromObject(metadata), metadata))
	before := metadata.DeepCopy()
	metadata.Labels["seen"] = "yes"
	must(s.Patch(s.ctx, metadata, client.MergeFrom(before)))
	s.show("metadata", metadata)
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(groupVersion.WithKind("WebsiteList"))
	must(s.List(s.ctx, list, client.InNamespace(s.namespace)))
	for _, item := range list.Items {
		tell("listed", item.Kind+" "+item.Name)
	}
}

func (s *scenario) subresources() {
	account := &corev1.ServiceAccount{ObjectMeta: s.named("default")}
	s.untilSeen(account, func() bool { return true })
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: pointer(int64(600))}}
	must(s.SubResource("token").Create(s.ctx, account, token))
	left := time.Until(token.Status.ExpirationTimestamp.Time)
	tell("token", []bool{len(token.Status.Token) > 100, left > 9*time.Minute, left < 11*time.Minute})

	pod := &corev1.Pod{ObjectMeta: s.named("lonely"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	must(s.Create(s.ctx, pod))
	tell("quality", string(pod.Status.QOSClass))
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	must(s.Status().Update(s.ctx, pod))
	must(s.SubResource("eviction").Create(s.ctx, pod, &policyv1.Eviction{}))
	tell("evicted", errors.IsNotFound(s.Get(s.ctx, client.ObjectKeyFromObject(pod), pod)))
}

func (s *scenario) watched() {
	events, err := s.Watch(s.ctx, &WebsiteList{}, client.InNamespace(s.namespace), client.MatchingFields{"spec.theme": "dark"})
	must(err)
	defer events.Stop()
	seen := func() {
		event := <-events.ResultChan()
		website := event.Object.(*Website)
		tell("event", fmt.Sprint(event.Type, " ", website.Name, " ", website.Spec.Theme))
	}
	night := s.website("night", WebsiteSpec{Image: "i", Theme: "dark"})
	must(s.Create(s.ctx, night))
	seen()
	s.untilSeen(night, func() bool { return ready(night) != nil && ready(night).ObservedGeneration == night.Generation })
	before := night.DeepCopy()
	night.Spec.Theme = "light"
	must(s.Patch(s.ctx, night, client.MergeFrom(before)))
	for event := range events.ResultChan() {
		if event.Type == "DELETED" {
			tell("event", "DELETED "+event.Object.(*Website).Name)
			break
		}
	}
	must(s.Delete(s.ctx, night))
	s.until("night to go", func() bool { return errors.IsNotFound(s.Get(s.ctx, client.ObjectKeyFromObject(night), night)) })
}

func (s *scenario) listed() {
	for i := range 5 {
		object := s.configMap(fmt.Sprintf("page-%d", i))
		object.Labels = map[string]string{"of": "pages", "even": fmt.Sprint(i%2 == 0)}
		must(s.Create(s.ctx, object))
	}
	options := []client.ListOption{client.InNamespace(s.namespace), client.MatchingLabels{"of": "pages"}, client.Limit(2)}
	token := ""
	for {
		var page corev1.ConfigMapList
		must(s.List(s.ctx, &page, append(options, client.Continue(token))...))
		names := []string{}
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		tell("page", names)
		if token = page.Continue; token == "" {
			break
		}
	}
	var one corev1.ConfigMapList
	must(s.List(s.ctx, &one, client.InNamespace(s.namespace), client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", "page-3")}))
	tell("by field", len(one.Items))
	refused("unknown field", s.List(s.ctx, &one, client.MatchingFields{"data.a": "b"}))
	must(s.DeleteAllOf(s.ctx, &corev1.ConfigMap{}, client.InNamespace(s.namespace), client.MatchingLabels{"of": "pages", "even": "true"}))
	must(s.List(s.ctx, &one, client.InNamespace(s.namespace), client.MatchingLabels{"of": "pages"}))
	tell("left", len(one.Items))
}

func (s *scenario) deleted() {
	shop, deployment, pages := s.website("shop", WebsiteSpec{}), &appsv1.Deployment{ObjectMeta: s.named("shop")}, s.configMap("shop-pages")
	must(s.Delete(s.ctx, shop, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	for _, object := range []client.Object{shop, deployment, pages} {
		s.until(object.GetName()+" to go", func() bool { return errors.IsNotFound(s.Get(s.ctx, client.ObjectKeyFromObject(object), object)) })
	}
	// The Farewell event may be repeated, if the cache does not contain the first one yet.
	lines := map[string]bool{}
	s.until("events", func() bool {
		var events eventsv1.EventList
		must(s.List(s.ctx, &events, client.InNamespace(s.namespace)))
		for _, event := range events.Items {
			// Other events contain the leader's name, which is the host name.
			if event.Regarding.Kind == "Website" {
				lines[fmt.Sprint(event.Type, " ", event.Reason, " ", event.Action, " ", event.Note, " ", event.ReportingController)] = true
			}
		}
		farewells := 0
		for line := range lines {
			if strings.Contains(line, "Farewell") {
				farewells++
			}
		}
		return farewells == 3
	})
	tell("events", slices.Sorted(maps.Keys(lines)))
}
