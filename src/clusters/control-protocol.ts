/** The messages that the control object of a cluster answers. */
import type { JSONWebKeySet } from 'jose'
import type { JsonObject } from '../go/json-value.ts'
import type { AdmissionConfiguration } from './admission-configuration.ts'
import type { ServiceName } from './api-services.ts'
import type { FinishRestore } from './backup-messages.ts'
import type { ClusterUse, JurisdictionRedirect, UseAnswer, UseReport, WantedCluster } from './cluster-terms.ts'
import type { ControlMetrics } from './collection-metrics.ts'
import { type DefinitionName, definitionAnswer } from './definition-text.ts'
import type { DeprecatedRequests } from './deprecated-requests.ts'
import type { Fork, ForkIdentity, ForkProgress, KeptHistory, NewFork } from './fork-messages.ts'
import { message } from './message.ts'
import {
  flag,
  jsonAnswer,
  jsonBody,
  noAnswer,
  noQuestion,
  optionalAnswer,
  optionalText,
  query,
  rawAnswer,
  text,
  textAnswer,
  texts,
} from './message-forms.ts'
import { objectProtocol } from './object-protocol.ts'
import { policyQuestion } from './policy-messages.ts'
import type { LimitedRanges, ReserveAnswer, ReserveMessage } from './quota-messages.ts'
import type { CollectionRegistration, RegistrationAnswer } from './registration-messages.ts'
import { betweenForks, fromDefault, ownAndToDefault } from './senders.ts'

/** A collection by its prefix: `<resource>[.<group>]`. */
interface CollectionPrefix {
  readonly prefix: string
}

const collectionPrefix = query<CollectionPrefix>({ prefix: text })

/** The messages of control objects. */
export const controlProtocol = {
  ...objectProtocol,
  /** Asks for the parts of the policy snapshot that have changed, or the answer to a read that comes with the question. */
  policy: message('GET', '/policy', { question: policyQuestion, answer: rawAnswer }),
  admission: message('GET', '/admission', { question: noQuestion, answer: jsonAnswer<AdmissionConfiguration>() }),
  /** Reads a CustomResourceDefinition by name, or by group and kind. */
  definition: message('GET', '/definition', {
    question: query<DefinitionName>({ name: optionalText, group: optionalText, kind: optionalText }),
    answer: definitionAnswer,
  }),
  /** Resolves when the storage has responded. The headers of the answer tell the facts about the cluster. */
  health: message('GET', '/health', { question: noQuestion, answer: rawAnswer, senders: ownAndToDefault }),
  metrics: message('GET', '/metrics', { question: noQuestion, answer: jsonAnswer<ControlMetrics>() }),
  /** Reports that ServiceAccounts have been deleted. */
  accountsDeleted: message('POST', '/deleted-accounts', { question: noQuestion, answer: noAnswer }),
  /** Reports that the Service of an APIService, or its endpoints, have changed. */
  serviceChanged: message('POST', '/changed-services', { question: jsonBody<ServiceName>(), answer: noAnswer }),
  /** Registers a collection that is to hold objects. */
  register: message('POST', '/collections', {
    question: jsonBody<CollectionRegistration>(),
    answer: jsonAnswer<RegistrationAnswer>(),
  }),

  /** Signs the claims of a ServiceAccount token. */
  signToken: message('POST', '/tokens', { question: jsonBody<JsonObject>(), answer: textAnswer }),
  tokenKeys: message('GET', '/token-keys', { question: noQuestion, answer: jsonAnswer<JSONWebKeySet>() }),

  reserveQuota: message('POST', '/quota/reserve', { question: jsonBody<ReserveMessage>(), answer: jsonAnswer<ReserveAnswer>() }),
  /** Gives a reservation back. */
  releaseQuota: message('POST', '/quota/release', { question: jsonBody<number>(), answer: noAnswer }),
  /** Counts the use of ranges again. */
  recountQuota: message('POST', '/quota/recount', {
    question: jsonBody<readonly string[]>(),
    answer: jsonAnswer<LimitedRanges>(),
  }),

  addDeprecatedRequests: message('POST', '/deprecated-requests', {
    question: jsonBody<readonly DeprecatedRequests[]>(),
    answer: noAnswer,
  }),
  deprecatedRequests: message('GET', '/deprecated-requests', {
    question: noQuestion,
    answer: jsonAnswer<readonly DeprecatedRequests[]>(),
  }),

  /** Replaces the contents of the cluster by the lines that wait. */
  finishRestore: message('POST', '/backup/finish', {
    question: jsonBody<FinishRestore>(),
    answer: noAnswer,
    answeredWhile: ['restored'],
  }),

  /** Makes a named cluster, changes its terms, or deletes it. It can be deleted at any time. */
  setCluster: message('PUT', '/cluster', {
    question: jsonBody<WantedCluster>(),
    answer: jsonAnswer<ClusterUse>(),
    senders: fromDefault,
    answeredWhile: ['absent', 'restored'],
  }),
  /** Lets an object outside of the cluster's jurisdiction tell clients about it. */
  setRedirect: message('PUT', '/cluster/jurisdiction', {
    question: jsonBody<JurisdictionRedirect>(),
    answer: jsonAnswer<ClusterUse>(),
    senders: fromDefault,
    answeredWhile: ['absent'],
  }),
  /** Reports the usage of one of the cluster's objects. */
  reportUse: message('POST', '/cluster/use', { question: jsonBody<UseReport>(), answer: jsonAnswer<UseAnswer>() }),

  /** Holds the history for a fork. */
  holdHistory: message('POST', '/forks', { question: jsonBody<NewFork>(), answer: jsonAnswer<Fork>(), senders: fromDefault }),
  /** Reports which history a fork still needs. */
  forkProgress: message('POST', '/forks/progress', {
    question: jsonBody<ForkProgress>(),
    answer: noAnswer,
    senders: betweenForks,
  }),
  /** Asks whether the cluster has agreed that a fork reads collections. */
  forkAgreement: message('GET', '/forks/agreement', {
    question: query<ForkIdentity & { readonly prefix: readonly string[] }>({ uid: text, cluster: text, prefix: texts }),
    answer: noAnswer,
  }),
  /** Asks how long the history of a collection has to reach back. With `relies`, the collection is told when the answer changes. */
  keptHistory: message('GET', '/kept-history', {
    question: query<CollectionPrefix & { readonly relies: boolean }>({ prefix: text, relies: flag }),
    answer: jsonAnswer<KeptHistory>(),
  }),
  /** Asks from which fork a collection has still to be copied. */
  forkOrigin: message('GET', '/fork', { question: collectionPrefix, answer: optionalAnswer<Fork>() }),
  /** Reports that a collection of a fork has been copied. */
  collectionCopied: message('POST', '/fork/copied', { question: collectionPrefix, answer: noAnswer }),
}

/** The type of the messages of control objects. */
export type ControlProtocol = typeof controlProtocol
