/** WithPublicPage: the page at / for browsers. It has no counterpart in kube-apiserver, whose answer all other clients get. */
import { parseAccept } from '../codec/accept.ts'
import type { Filter } from './filter.ts'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44em;margin:3em auto;padding:0 1em}pre{background:#8882;padding:1em;overflow:auto}'

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Returns the text of the page. @param address `host:port` of the deployment */
const pageOf = (address: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Edgeplane</title>
<style>${style}</style>
<h1>A Kubernetes API server</h1>
<p>This is the API of a Kubernetes control plane without nodes. kubectl and every client of Kubernetes work with it; a browser does not.</p>
<h2>How to get a kubeconfig</h2>
<p>With a kubeconfig for <code>https://${escaped(address)}</code> whose user the operator allows to create clusters, make a cluster of your own. You are its administrator.</p>
<pre>npx --no-install edgeplane cluster create NAME
npx --no-install edgeplane cluster kubeconfig NAME &gt; NAME.kubeconfig
kubectl --kubeconfig NAME.kubeconfig get namespaces</pre>
<p>Ask the operator of this server how to sign in.</p>
</html>
`

/** Whether a client asks for HTML by name, as browsers do: kubectl and other tools ask for JSON, or for anything. */
function wantsHtml(accept: string | null): boolean {
  if (accept === null) return false
  return parseAccept(accept).some(({ type, subtype, quality }) => type === 'text' && subtype === 'html' && quality > 0)
}

/** Returns the hash by which the page's style is allowed. */
async function styleHash(): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  return Buffer.from(digest).toString('base64')
}

/**
 * Reads `info`. Responds to a GET of / that asks for HTML, before authentication: the page is public and the same for everybody.
 * @param address `host:port` of the deployment: not taken from the request, whose Host anybody chooses
 */
export function withPublicPage(address: string): Filter {
  const page = pageOf(address)
  let hash: Promise<string> | undefined
  return async (c, next) => {
    const { method, headers } = c.req.raw
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || c.get('info').path !== '/' || !wantsHtml(headers.get('accept'))) {
      await next()
      return undefined
    }
    hash ??= styleHash()
    return new Response(page, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${await hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-cache, private',
        'referrer-policy': 'no-referrer',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
      },
    })
  }
}
