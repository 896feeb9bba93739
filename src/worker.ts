/** The entry: the Worker, the Durable Object classes, and how they are wired. */
import { Authorizer } from './auth/authorizer.ts'
import { StaticTokens } from './auth/tokens.ts'
import { served } from './catalog/generated/served.ts'
import { Objects } from './clusters/objects.ts'
import { controlOf, defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { Collection } from './controllers/collection-object.ts'
import { Control } from './controllers/control-object.ts'
import type { Environment } from './controllers/environment.ts'
import { CustomKinds } from './crd/custom-kinds.ts'
import { handle } from './http/app.ts'
import type { Server } from './http/context.ts'
import { CurrentDiscovery } from './http/discovery/custom.ts'
import { withoutUnserved } from './http/discovery/unserved.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { sourceBuild } from './http/version.ts'

export { Collection, Control }

function wire(environment: Environment): Server {
  const objects = new Objects(environment)
  const health = healthChecks(async () => {
    const answer = await objects.get(controlOf(defaultCluster)).fetch('http://control/health')
    if (!answer.ok) throw new Error('the control object does not answer')
  })
  const policy = new PolicyCache(objects, defaultCluster)
  const customKinds = new CustomKinds(objects, policy, defaultCluster)
  return {
    cluster: defaultCluster,
    objects,
    policy,
    authorizer: new Authorizer(policy),
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    tokens: new StaticTokens(environment.ADMIN_TOKEN ?? ''),
    discovery: new CurrentDiscovery(withoutUnserved(served), () => customKinds.summaries()),
    customKinds,
    health,
    otherPaths: [...healthPaths(health), ...openApiPaths, '/version'],
    build: sourceBuild,
    serverAddress: environment.SERVER_ADDRESS ?? '',
  }
}

let server: Server | undefined

export default {
  fetch(request, environment): Promise<Response> {
    server ??= wire(environment)
    return handle(server, request)
  },
} satisfies ExportedHandler<Environment>
