/** Drops the fields of disabled features from the pod template of a kind before its own hooks run. */
import type { PodTemplateSpec } from '../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyHooks } from '../hooks.ts'
import { dropDisabledPodFields } from './core/pod-features.ts'

/** Returns the pod template of an object; undefined if the object has no template. */
type TemplateOf = (object: KubernetesObject) => PodTemplateSpec | undefined

interface Templated extends KubernetesObject {
  template?: PodTemplateSpec
  spec?: { template?: PodTemplateSpec; jobTemplate?: { spec: { template: PodTemplateSpec } } }
}

/** Returns `spec.template`, the place of the template in most kinds. */
export const inSpec: TemplateOf = (object) => (object as Templated).spec?.template
/** Returns `template`. */
export const atTop: TemplateOf = (object) => (object as Templated).template
/** Returns `spec.jobTemplate.spec.template`. */
export const inJob: TemplateOf = (object) => (object as Templated).spec?.jobTemplate?.spec.template

/** Wraps the hooks of a kind whose template is found by `templateOf`. */
export function withPodTemplate(hooks: StrategyHooks, templateOf: TemplateOf = inSpec): StrategyHooks {
  return {
    ...hooks,
    prepareForCreate(object, context) {
      const template = templateOf(object)
      if (template !== undefined) dropDisabledPodFields(template.spec)
      hooks.prepareForCreate?.(object, context)
    },
    prepareForUpdate(object, old, context) {
      const template = templateOf(object)
      if (template !== undefined) dropDisabledPodFields(template.spec, templateOf(old)?.spec)
      hooks.prepareForUpdate?.(object, old, context)
    },
  }
}
