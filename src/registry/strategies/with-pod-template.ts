/** Hooks of kinds that hold a pod template: what this release does not know of it is dropped first. */
import type { PodTemplateSpec } from '../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyHooks } from '../hooks.ts'
import { dropDisabledPodFields } from './core/pod-features.ts'

/** Where the template is; undefined where there is none. */
type TemplateOf = (object: KubernetesObject) => PodTemplateSpec | undefined

interface Templated extends KubernetesObject {
  template?: PodTemplateSpec
  spec?: { template?: PodTemplateSpec; jobTemplate?: { spec: { template: PodTemplateSpec } } }
}

/** `spec.template`, as most kinds have it. */
export const inSpec: TemplateOf = (object) => (object as Templated).spec?.template
/** `template`. */
export const atTop: TemplateOf = (object) => (object as Templated).template
/** `spec.jobTemplate.spec.template`. */
export const inJob: TemplateOf = (object) => (object as Templated).spec?.jobTemplate?.spec.template

/** The same hooks, for a kind whose template is where `templateOf` finds it. */
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
