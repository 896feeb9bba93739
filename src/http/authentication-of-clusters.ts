/** The authentication of the default cluster, which has the deployment's users, and of named clusters, which do not. */
import { Authenticator, type TokenCacheObserver } from '../auth/authenticator.ts'
import { bootstrapTokens } from '../auth/bootstrap-tokens.ts'
import { ClusterCredentials, clusterTokens } from '../auth/cluster-credentials.ts'
import { isAccess } from '../auth/configuration.ts'
import { UserTokens } from '../auth/front-proxy/user-tokens.ts'
import { oidcTokens } from '../auth/oidc/authenticator.ts'
import { ServiceAccountTokens } from '../auth/service-accounts/authenticator.ts'
import { type TokenAuthenticator, WithoutAudiences } from '../auth/token-authenticator.ts'
import { WebhookTokens } from '../auth/webhook/tokens.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { defaultCluster } from '../clusters/placement.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { StrangerTurns } from '../clusters/stranger-reads.ts'
import type { Authentication } from './authentication.ts'
import type { IssuerKeys } from './service-account-issuer.ts'
import type { Settings } from './settings.ts'

/** The services of one cluster on which its authentication depends. */
export interface ClusterServices {
  readonly cluster: string
  readonly client: CollectionClient
  readonly policy: PolicyCache
  readonly issuer: IssuerKeys
  readonly turns: StrangerTurns
  /** The clock of the cluster: milliseconds since the epoch. */
  readonly now: () => number
}

/** Returns the authenticators of the default cluster, in the order of kube-apiserver. */
function tokensOfDeployment(
  { client, policy, issuer, turns, now }: ClusterServices,
  settings: Settings,
  audiences: readonly string[],
): TokenAuthenticator[] {
  const { authentication: configuration, staticTokens, webhookTokens, fetchOf } = settings
  const { url, keys } = issuer
  return [
    new WithoutAudiences(audiences, (token) => staticTokens.holderOf(token)),
    new ServiceAccountTokens({ objects: client, policy, keys, issuer: url, audiences, now }),
    new UserTokens(keys, url),
    new WithoutAudiences(audiences, bootstrapTokens(client, turns, now)),
    new WithoutAudiences(audiences, oidcTokens(configuration.jwt, fetchOf)),
    ...(webhookTokens === undefined ? [] : [new WebhookTokens(webhookTokens, audiences, fetchOf)]),
  ]
}

/** Returns the authenticators of a named cluster. */
function tokensOfCluster(
  { cluster, client, policy, issuer, turns, now }: ClusterServices,
  audiences: readonly string[],
  credentials: ClusterCredentials,
): TokenAuthenticator[] {
  const { url, keys } = issuer
  return [
    new WithoutAudiences(audiences, clusterTokens(cluster, credentials, policy)),
    new ServiceAccountTokens({ objects: client, policy, keys, issuer: url, audiences, now }),
    new UserTokens(keys, url),
    new WithoutAudiences(audiences, bootstrapTokens(client, turns, now)),
  ]
}

/** Returns how a cluster authenticates requests. */
export function authenticationOf(services: ClusterServices, settings: Settings, observer: TokenCacheObserver): Authentication {
  const { authentication: configuration, clientCertificates, policySeconds } = settings
  const { anonymous } = configuration
  const audiences = [services.issuer.url]
  const cache = { maximumAge: policySeconds * 1000, now: services.now, observer }
  if (services.cluster !== defaultCluster) {
    const tokens = tokensOfCluster(services, audiences, new ClusterCredentials(settings.adminToken))
    return {
      tokens: new Authenticator(tokens, audiences, cache),
      anonymous,
      accessAssertions: 'ignored',
      clientCertificates: 'ignored',
    }
  }
  return {
    tokens: new Authenticator(tokensOfDeployment(services, settings, audiences), audiences, cache),
    anonymous,
    accessAssertions: configuration.jwt.some(isAccess) ? 'taken' : 'ignored',
    clientCertificates,
  }
}
