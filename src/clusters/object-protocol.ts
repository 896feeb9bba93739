/**
 * The messages that every Durable Object of a cluster answers, beside the operations on its collections. A message is one line here,
 * and one handler; those of the control object are in control-protocol.ts.
 */
import type { BackupState, FillContents, RaiseVersion, RecoverStorage, StageAnswer, StagedContents } from './backup-messages.ts'
import type { ClusterReport } from './cluster-terms.ts'
import type { ObjectMetrics } from './collection-metrics.ts'
import type { ChangedHistory, PastObject, PastState } from './fork-messages.ts'
import { message } from './message.ts'
import {
  jsonAnswer,
  jsonBody,
  noAnswer,
  noQuestion,
  number,
  optionalAnswer,
  query,
  rawAnswer,
  rawQuestion,
  text,
  textBody,
  texts,
} from './message-forms.ts'
import type { OwnerAnswers, OwnerMessage } from './owner-messages.ts'
import type { UsageAnswer, UsageQuestion } from './quota-messages.ts'
import { betweenForks, toDefault } from './senders.ts'

/** A restore. */
interface RestoreId {
  readonly id: string
}

/** The lines of a restore. */
interface RestoreLines extends RestoreId {
  /** Whether Cluster objects need the signature of the deployment. */
  readonly clusters: string
}

/** A fork that reads collections of its parent. */
interface ForkReading {
  /** The uid of the fork's Cluster object. */
  readonly uid: string
  /** The collections. */
  readonly prefix: readonly string[]
}

const forkReading = { uid: text, prefix: texts }
const restoreId = query<RestoreId>({ id: text })
/** Backups are read and restored in an object that serves nothing else. */
const whileRestored = ['restored'] as const
/** A restore does not depend on what the object holds, or has still to copy. */
const whileUncopied = ['restored', 'uncopied'] as const

/** The messages of every object. */
export const objectProtocol = {
  /** Tells and asks about owners and dependents. */
  owners: message('POST', '/garbage-collector', {
    question: jsonBody<OwnerMessage>(),
    answer: jsonAnswer<OwnerAnswers[keyof OwnerAnswers]>(),
  }),
  metrics: message('GET', '/metrics', { question: noQuestion, answer: jsonAnswer<ObjectMetrics>() }),
  /** Counts the use of quotas by the object's own objects. */
  usage: message('POST', '/quota/usage', { question: jsonBody<UsageQuestion>(), answer: jsonAnswer<UsageAnswer>() }),
  /** Sends a request to another API server, over a connection that is kept (auth/front-proxy/forwarding.ts). */
  forward: message('POST', '/forward', { question: rawQuestion, answer: rawAnswer }),

  /** Reads the contents as lines; 204 if nothing was ever written. */
  readBackup: message('GET', '/backup', { question: noQuestion, answer: rawAnswer, answeredWhile: whileRestored }),
  backupState: message('GET', '/backup/state', {
    question: noQuestion,
    answer: jsonAnswer<BackupState>(),
    answeredWhile: whileRestored,
  }),
  /** Lets lines wait until the restore replaces the contents. */
  stage: message('POST', '/backup/lines', {
    question: textBody<RestoreLines>({ id: text, clusters: text }),
    answer: jsonAnswer<StageAnswer>(),
    answeredWhile: whileUncopied,
  }),
  staged: message('POST', '/backup/staged', {
    question: restoreId,
    answer: jsonAnswer<StagedContents>(),
    answeredWhile: whileUncopied,
  }),
  /** Deletes the contents; until they are filled, the object answers nothing else. It restarts. */
  empty: message('POST', '/backup/empty', { question: restoreId, answer: noAnswer, answeredWhile: whileUncopied }),
  /** Takes the waiting lines as contents. It restarts. */
  fill: message('POST', '/backup/fill', { question: jsonBody<FillContents>(), answer: noAnswer, answeredWhile: whileUncopied }),
  /** Takes the storage back to a time. Only in the default cluster, as the next ones. It restarts. */
  recover: message('POST', '/backup/recover', {
    question: jsonBody<RecoverStorage>(),
    answer: noAnswer,
    answeredWhile: whileRestored,
  }),
  /** Control object. Refuses all other requests until it is raised; the question is the names of the other objects. It restarts. */
  hold: message('POST', '/backup/hold', {
    question: jsonBody<readonly string[]>(),
    answer: noAnswer,
    answeredWhile: whileRestored,
  }),
  /** Raises the resourceVersion, and ends the history before it. It restarts. */
  raise: message('POST', '/backup/raise', { question: jsonBody<RaiseVersion>(), answer: noAnswer, answeredWhile: whileRestored }),

  /** Deletes all data of the object, because its cluster is deleted. It restarts. */
  deleteData: message('DELETE', '/data', { question: noQuestion, answer: noAnswer, answeredWhile: ['uncopied'] }),
  /** Runs the work of the alarm that is due: a test has moved the clock. */
  runAlarm: message('POST', '/alarm', { question: noQuestion, answer: noAnswer }),
  /** Ends the watches of the keys with this prefix. */
  endWatches: message('DELETE', '/watches', { question: query<{ readonly prefix: string }>({ prefix: text }), answer: noAnswer }),
  /** Revokes the registration of the collection for a namespace that is being deleted. */
  revokeRegistration: message('DELETE', '/collections', {
    question: query<{ readonly namespace: string }>({ namespace: text }),
    answer: noAnswer,
  }),

  /** Reports about a named cluster to the holder of the Cluster objects. A cluster reports about itself alone. */
  reportCluster: message('POST', '/clusters/report', {
    question: jsonBody<ClusterReport>(),
    answer: noAnswer,
    senders: toDefault,
  }),
  /** Asks the holder of the Cluster objects which of these names are names of clusters. */
  clusterNames: message('POST', '/cluster-names', {
    question: jsonBody<readonly string[]>(),
    answer: jsonAnswer<readonly string[]>(),
  }),

  /** Reads the state of collections at a time, besides their objects. */
  past: message('GET', '/past', {
    question: query<ForkReading & { readonly time: number }>({ ...forkReading, time: number }),
    answer: jsonAnswer<PastState>(),
    senders: betweenForks,
  }),
  /** Reads the object that a key had at a version of its collection. */
  pastObject: message('GET', '/past/object', {
    question: query<ForkReading & { readonly version: number; readonly key: string }>({
      ...forkReading,
      version: number,
      key: text,
    }),
    answer: optionalAnswer<PastObject>(),
    senders: betweenForks,
  }),
  /** Reads the objects of collections at a version, as lines of PastObject, beginning after a key. */
  pastObjects: message('GET', '/past/objects', {
    question: query<ForkReading & { readonly version: number; readonly after: string }>({
      ...forkReading,
      version: number,
      after: text,
    }),
    answer: rawAnswer,
    senders: betweenForks,
  }),
  /** Makes a fork copy all that it has still to copy. */
  completeFork: message('POST', '/fork/complete', { question: noQuestion, answer: noAnswer, senders: betweenForks }),
  /** Tells a collection that other history has to be kept: it must ask again. */
  historyChanged: message('POST', '/kept-history/changed', { question: jsonBody<ChangedHistory>(), answer: noAnswer }),
}

/** The type of the messages of every object. */
export type ObjectProtocol = typeof objectProtocol
