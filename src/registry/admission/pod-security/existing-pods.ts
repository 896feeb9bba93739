/**
 * Evaluates the existing Pods of a namespace against a new standard. Follows Admission.EvaluatePodsInNamespace of
 * k8s.io/pod-security-admission/admission.
 */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import type { ExistingPods, LevelVersion, PodGroup, PodsEvaluation } from '../../../clusters/pod-security.ts'
import { compareText } from '../../../go/text.ts'
import { evaluatePod, reasonsText } from './evaluator.ts'
import { levelVersionText } from './policy.ts'

/** The most Pods of a namespace that are evaluated. */
const maximumPods = 3000

/** An evaluated Pod; without violations, the reasons are ''. */
interface EvaluatedPod {
  readonly name: string
  readonly reasons: string
}

function groupsOf(pods: readonly EvaluatedPod[]): readonly PodGroup[] {
  const groups = new Map<string, PodGroup>()
  for (const pod of pods) {
    if (pod.reasons === '') continue
    const { reasons } = pod
    const { name, count } = groups.get(reasons) ?? { name: pod.name, count: 0 }
    groups.set(reasons, { reasons, name: compareText(pod.name, name) < 0 ? pod.name : name, count: count + 1 })
  }
  return [...groups.values()]
}

/**
 * Evaluates Pods one by one. The replicas of a controller come last except the first one: they are evaluated if the number of
 * Pods allows it.
 * @example
 * const evaluation = new ExistingPodsEvaluation({ standard, exemptRuntimeClasses: [] })
 * for (const pod of pods) evaluation.add(pod)
 * const warnings = existingPodsWarnings('default', standard, evaluation.result)
 */
export class ExistingPodsEvaluation {
  readonly #standard: LevelVersion
  readonly #exemptRuntimeClasses: readonly string[]
  readonly #controllers = new Set<string>()
  readonly #first: EvaluatedPod[] = []
  readonly #replicas: EvaluatedPod[] = []
  #total = 0

  constructor({ standard, exemptRuntimeClasses }: PodsEvaluation) {
    this.#standard = standard
    this.#exemptRuntimeClasses = exemptRuntimeClasses
  }

  /** Adds a Pod. */
  add({ metadata, spec }: Pod): void {
    if (this.#exemptRuntimeClasses.includes(spec.runtimeClassName ?? '')) return
    this.#total++
    const { name = '', ownerReferences = [] } = metadata
    const controller = ownerReferences.find((owner) => owner.controller === true)?.uid
    const isReplica = controller !== undefined && this.#controllers.has(controller)
    const evaluated = isReplica ? this.#first.length + this.#replicas.length : this.#first.length
    if (evaluated >= maximumPods) return
    const reasons = reasonsText(evaluatePod(this.#standard, metadata, spec))
    if (isReplica) {
      this.#replicas.push({ name, reasons })
      return
    }
    if (controller !== undefined) this.#controllers.add(controller)
    this.#first.push({ name, reasons })
  }

  /** Whether further Pods change only the total. */
  get isComplete(): boolean {
    return this.#first.length >= maximumPods && this.#exemptRuntimeClasses.length === 0
  }

  /** Counts further Pods without evaluating them. */
  skip(count: number): void {
    this.#total += count
  }

  /** The result for the Pods so far. */
  get result(): ExistingPods {
    const evaluated = [...this.#first, ...this.#replicas].slice(0, maximumPods)
    return { total: this.#total, evaluated: evaluated.length, groups: groupsOf(evaluated) }
  }
}

/** Formats the Pods of a group: `a`, `a (and 1 other pod)`, `a (and 2 other pods)`. */
function podsText({ name, count }: PodGroup): string {
  if (count === 1) return name
  return `${name} (and ${count - 1} other ${count === 2 ? 'pod' : 'pods'})`
}

/** Returns the warnings about the existing Pods of a namespace that violate its new standard. */
export function existingPodsWarnings(
  namespace: string,
  standard: LevelVersion,
  { total, evaluated, groups }: ExistingPods,
): readonly string[] {
  const enforceLevel = 'new PodSecurity enforce level'
  const ofPods = groups.map((group) => `${podsText(group)}: ${group.reasons}`).sort(compareText)
  const violate = `existing pods in namespace "${namespace}" violate the ${enforceLevel} "${levelVersionText(standard)}"`
  return [
    ...(evaluated < total ? [`${enforceLevel} only checked against the first ${evaluated} of ${total} existing pods`] : []),
    ...(ofPods.length > 0 ? [violate, ...ofPods] : []),
  ]
}
