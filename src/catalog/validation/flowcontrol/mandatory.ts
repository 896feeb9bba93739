/**
 * The specs that the mandatory FlowSchemas and PriorityLevelConfigurations must have: without them no request would be served.
 */
import type { JsonObject } from '../../../go/json-value.ts'

/** The part of a rule that matches every request. */
export const everything: JsonObject = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/** Returns a group as the subject of a rule. */
export const groupSubject = (name: string): JsonObject => ({ kind: 'Group', group: { name } })

/** The two groups that together contain all users. */
export const everyone: JsonObject[] = [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')]

/** The specs of the mandatory FlowSchemas, by name. */
export const mandatoryFlowSchemas: Readonly<Record<string, JsonObject>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [groupSubject('system:masters')], ...everything }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: everyone, ...everything }],
  },
}

/** The specs of the mandatory PriorityLevelConfigurations, by name. */
export const mandatoryPriorityLevels: Readonly<Record<string, JsonObject>> = {
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  },
}
