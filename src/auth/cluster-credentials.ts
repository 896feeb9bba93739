/**
 * The administrators' tokens of named clusters. They are signed with a key that follows from the deployment's admin token, so a
 * Worker verifies them without asking any object, and the holder of one learns nothing about the others. A token names the
 * cluster and its uid: it ends with the cluster, also if another one gets the same name.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Asker, PolicyCache } from '../clusters/policy.ts'
import type { User } from '../meta/user.ts'
import { deploymentKey } from './deployment-key.ts'
import { admin } from './user.ts'

const prefix = 'edgeplane'
/** The longest token that is looked at, in characters. */
const longest = 512

/** The cluster that a token is for. */
export interface ClusterIdentity {
  readonly cluster: string
  readonly uid: string
}

/** Signs and verifies the tokens of a deployment. */
export class ClusterCredentials {
  readonly #key: Buffer

  /** @param adminToken the setting ADMIN_TOKEN: the token, or `sha256:` and its hash */
  constructor(adminToken: string) {
    this.#key = deploymentKey(adminToken, 'edgeplane cluster credentials')
  }

  /** Returns the token of a cluster's administrators: the same for the same cluster. */
  sign({ cluster, uid }: ClusterIdentity): string {
    const content = Buffer.from(JSON.stringify([cluster, uid])).toString('base64url')
    return `${prefix}.${content}.${this.#signature(content).toString('base64url')}`
  }

  /** Returns the cluster of a token; undefined if this deployment has not signed it. */
  verify(token: string): ClusterIdentity | undefined {
    const [start, content = '', signature = '', ...others] = token.length > longest ? [] : token.split('.')
    if (start !== prefix || others.length > 0) return undefined
    const [given, own] = [Buffer.from(signature, 'base64url'), this.#signature(content)]
    if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined
    const [cluster, uid] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, string]
    return { cluster, uid }
  }

  #signature(content: string): Buffer {
    return createHmac('sha256', this.#key).update(content).digest()
  }
}

/**
 * Returns an authenticator of one cluster's administrators.
 * @param policy of the cluster: it knows the uid
 */
export function clusterTokens(
  cluster: string,
  credentials: ClusterCredentials,
  policy: PolicyCache,
): (token: string, asker?: Asker) => Promise<User | undefined> {
  return async (token, asker) => {
    const identity = credentials.verify(token)
    if (identity?.cluster !== cluster) return undefined
    const isCurrent = await policy.answer(
      (snapshot) => snapshot.cluster.uid === identity.uid,
      (same) => same,
      // The signature has been verified.
      asker && { ...asker, isStranger: false },
    )
    return isCurrent ? admin : undefined
  }
}
