/** Rewrites links of proxied pages so that they lead through this server. Follows Transport of k8s.io/apimachinery/pkg/util/proxy. */
import { posix } from 'node:path'

/** How links are rewritten. */
export interface Rewriting {
  /** The path of this server that stands for the root of the target. */
  readonly prefix: string
  /** The hosts whose links are rewritten: that of the target, and that of the request. */
  readonly hosts: readonly [target: string, request: string]
}

/** The attributes with URLs, by element. */
const attributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
}

/** Scheme, host, path, and the rest of a URL. */
const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is

/** Returns a link as a client of this server has to follow it. A relative one, or one to another host, stays as it is. */
export function rewrittenLocation(url: string, { prefix, hosts: [target, request] }: Rewriting): string {
  const [, scheme = '', host = '', path = '', rest = ''] = parts.exec(url) ?? []
  if (!path.startsWith('/') || (host !== '' && host !== target && host !== request)) return url
  const origin = host === request ? `${scheme === '' ? '' : `${scheme}:`}//${host}` : ''
  return `${origin}${path.startsWith(prefix) ? path : posix.join(prefix, path)}${rest}`
}

const decoding: Readonly<Record<string, 'gzip' | 'deflate-raw'>> = { gzip: 'gzip', deflate: 'deflate-raw' }

/** Returns a page with its links rewritten, in the same encoding; the page itself if the encoding is unknown. */
export function rewritten(page: Response, rewriting: Rewriting): Response {
  const encoding = page.headers.get('content-encoding') ?? ''
  const format = decoding[encoding]
  if ((encoding !== '' && format === undefined) || page.body === null) return page
  const headers = new Headers(page.headers)
  headers.delete('content-length')
  headers.delete('content-encoding')
  const text = format === undefined ? page.body : page.body.pipeThrough(new DecompressionStream(format) as Transform)
  const rewriter = new HTMLRewriter()
  for (const [element, names] of Object.entries(attributes)) {
    rewriter.on(element, {
      element(found) {
        for (const name of names) {
          const url = found.getAttribute(name)
          if (url !== null) found.setAttribute(name, rewrittenLocation(url, rewriting))
        }
      },
    })
  }
  const changed = rewriter.transform(new Response(text, { status: page.status, headers }))
  if (format === undefined || changed.body === null) return changed
  headers.set('content-encoding', encoding)
  const body = changed.body.pipeThrough(new CompressionStream(format) as Transform)
  return new Response(body, { status: page.status, headers, encodeBody: 'manual' })
}

type Transform = ReadableWritablePair<Uint8Array, Uint8Array>
