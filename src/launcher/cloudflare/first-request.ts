/** The first request to a deployment. Durable Objects stay near the client that first asked for them. */
import { request } from 'node:https'

/** A new name takes a few seconds to be known everywhere. */
const attempts = 40
const pause = 1500

/** Sends a request to /readyz. Resolves to whether the server is ready. */
function isReady(url: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(`${url}/readyz`, { headers: { authorization: `Bearer ${token}` }, timeout: 10_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(false))
    sent.end()
  })
}

/** Waits until a deployment is ready. Resolves to whether it is. */
export async function whenReady(url: string, token: string, limit = attempts): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (await isReady(url, token)) return true
    if (attempt === limit) return false
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
