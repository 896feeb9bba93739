/** A team of Cloudflare Access of which only the published keys are real. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const team = 'https://team.cloudflareaccess.com'
const audience = 'tag-of-the-application'
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }

/** The settings of a server whose people sign in at the team. */
export const accessSettings = {
  AUTHENTICATION_CONFIGURATION: JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: team, audiences: [audience] },
        claimMappings: { username: { claim: 'email', prefix: 'access:' } },
      },
    ],
  }),
}

/** The keys that the team publishes. */
export const publishedKeys = { keys: [jwk], public_certs: [] }

/** Returns the token that Access adds to the requests of a person. */
export const assertionOf = (email: string, to = audience): Promise<string> =>
  new SignJWT({ email, type: 'app' })
    .setProtectedHeader({ alg: 'RS256', kid: 'key' })
    .setIssuer(team)
    .setAudience([to])
    .setSubject(`subject-${email}`)
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)

/** Returns a binding that makes a user an administrator. */
export function administratorBinding(name: string, user: string): object {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
  return { metadata: { name }, roleRef, subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }] }
}
