/** The webhooks of a configuration in the order in which they are called. Follows the webhook configuration managers. */

import type { MutatingWebhook, ValidatingWebhook } from '../../../catalog/generated/types/admissionregistration.v1.ts'
import { BOOL } from '../../../cel/types.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { Equivalents } from '../matching/equivalents.ts'
import { type Matcher, webhookMatcher } from '../matching/match.ts'
import { PolicyCompiler, type PolicyExpression } from '../policy/shared/expressions.ts'

/** A webhook of either phase. */
export type AnyWebhook = MutatingWebhook | ValidatingWebhook

/** A webhook with its matcher. */
export interface WebhookHook<Webhook extends AnyWebhook> {
  readonly webhook: Webhook
  /** The name of the configuration. */
  readonly configuration: string
  /** Identifies the webhook and the state of its configuration. */
  readonly key: string
  /** The position among all webhooks of the phase. */
  readonly index: number
  readonly isIgnoring: boolean
  readonly matcher: Matcher
  /** Returns the compiled match conditions. */
  readonly conditions: () => readonly PolicyExpression[]
}

interface WebhookConfiguration<Webhook> extends KubernetesObject {
  readonly webhooks?: readonly Webhook[]
}

function compiledConditions({ matchConditions = [] }: AnyWebhook): () => readonly PolicyExpression[] {
  let compiled: readonly PolicyExpression[] | undefined
  return () => {
    if (compiled === undefined) {
      const compiler = new PolicyCompiler([])
      compiled = matchConditions.map(({ expression }) => compiler.compile(expression, [BOOL]))
    }
    return compiled
  }
}

const known = new WeakMap<readonly KubernetesObject[], readonly WebhookHook<AnyWebhook>[]>()

/**
 * Returns the webhooks of configurations, made once.
 * @param configurations in the order of their names
 */
export function webhookHooks<Webhook extends AnyWebhook>(
  configurations: readonly WebhookConfiguration<Webhook>[],
  equivalents: Equivalents,
): readonly WebhookHook<Webhook>[] {
  // The list holds webhooks of one phase, whose type the map does not keep.
  const made = known.get(configurations) as readonly WebhookHook<Webhook>[] | undefined
  if (made !== undefined) return made
  const hooks = configurations
    .flatMap(({ metadata, webhooks = [] }) => webhooks.map((webhook) => ({ metadata, webhook })))
    .map(({ metadata, webhook }, index): WebhookHook<Webhook> => {
      const { name: configuration = '', uid = '', resourceVersion = '' } = metadata
      return {
        webhook,
        configuration,
        key: `${uid}/${resourceVersion}/${webhook.name}`,
        index,
        isIgnoring: webhook.failurePolicy === 'Ignore',
        matcher: webhookMatcher(webhook, equivalents),
        conditions: compiledConditions(webhook),
      }
    })
  known.set(configurations, hooks)
  return hooks
}
