/** The backend of the plugin ImagePolicyWebhook for the recorded scenarios: it decides by the names of images. */
import { createServer, type Server } from 'node:http'

interface Review {
  readonly spec: {
    readonly containers?: readonly { readonly image: string }[]
    readonly annotations?: Readonly<Record<string, string>>
    readonly namespace: string
  }
}

function statusOf({ spec }: Review): object {
  const has = (name: string): boolean => (spec.containers ?? []).some(({ image }) => image.startsWith(name))
  if (has('silent')) return { allowed: false }
  if (has('denied')) return { allowed: false, reason: 'the image is denied' }
  const denying = Object.keys(spec.annotations ?? {})
  return denying.length > 0 ? { allowed: false, reason: `annotations ${denying.join(', ')}` } : { allowed: true }
}

/** Starts the backend on a port of the loopback interface; 0 for any. */
export async function startBackend(port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const review = JSON.parse(Buffer.concat(parts).toString()) as Review
    const isBroken = (review.spec.containers ?? []).some(({ image }) => image.startsWith('broken'))
    response.writeHead(isBroken ? 404 : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', ...review, status: statusOf(review) }),
    )
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}
