/**
 * Reinvocation of the mutating phase: after a webhook or a policy has changed the object, the whole chain runs once more. Plugins
 * of the server then run again; webhooks and policies only if their reinvocationPolicy is IfNeeded and the object has changed since
 * they ran. Follows reinvocation.go of k8s.io/apiserver/pkg/admission and the reinvocation contexts of its dynamic plugins (KEP-3061).
 */
import { equalValues } from '../../apply/value.ts'
import { copyOf } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

const json = (object: KubernetesObject): JsonValue => object as unknown as JsonValue

/** The invocations of one dynamic plugin in the mutating phase. Invocations are named by keys of the plugin's choice. */
export class Invocations {
  #output: JsonValue | undefined
  #reinvocable = new Set<string>()
  readonly #due = new Set<string>()

  /** Whether the invocation runs again in the second run of the chain. */
  isDue(key: string): boolean {
    return this.#due.has(key)
  }

  /** Records that an invocation with reinvocationPolicy IfNeeded has run: a later change makes it due. */
  addReinvocable(key: string): void {
    this.#reinvocable.add(key)
  }

  /** Makes all invocations due that were recorded so far, because the object has changed. */
  requireReinvoking(): void {
    for (const key of this.#reinvocable) this.#due.add(key)
    this.#reinvocable = new Set()
  }

  /** Whether the object differs from the plugin's last output: then other plugins have changed it. */
  isChangedSinceOutput(object: KubernetesObject): boolean {
    return this.#output === undefined || !equalValues(this.#output, json(object))
  }

  /** Keeps a copy of the object as the plugin's last output. */
  setOutput(object: KubernetesObject): void {
    this.#output = copyOf(json(object))
  }
}

/**
 * The state of one mutating phase. Each attempt of a commit has a new one.
 * @example
 * const invocations = reinvocation.invocationsOf('MutatingAdmissionWebhook')
 * if (reinvocation.isReinvoke && invocations.isChangedSinceOutput(object)) invocations.requireReinvoking()
 * if (reinvocation.isReinvoke && !invocations.isDue(uid)) return
 * const isChanged = callWebhook()
 * if (isChanged) {
 *   invocations.requireReinvoking()
 *   reinvocation.request()
 * }
 * if (reinvocationPolicy === 'IfNeeded') invocations.addReinvocable(uid)
 * invocations.setOutput(object)
 */
export class ReinvocationContext {
  #isRequested = false
  #isReinvoke = false
  #invocations: Map<string, Invocations> | undefined

  /** Whether this is the second run of the chain. */
  get isReinvoke(): boolean {
    return this.#isReinvoke
  }

  /** Requests the second run of the chain, because a webhook or a policy has changed the object. */
  request(): void {
    this.#isRequested = true
  }

  /** Begins the second run, if one was requested. */
  begin(): boolean {
    this.#isReinvoke = this.#isRequested
    return this.#isReinvoke
  }

  /** Returns the invocations of a plugin, which both runs share. */
  invocationsOf(plugin: string): Invocations {
    this.#invocations ??= new Map()
    const known = this.#invocations.get(plugin)
    if (known !== undefined) return known
    const invocations = new Invocations()
    this.#invocations.set(plugin, invocations)
    return invocations
  }
}
