import { expect, test } from 'vitest'
import { parseUrl } from './url.ts'

test.each([
  [
    'https://u:p@host:1/path?q=1#f',
    { scheme: 'https', user: 'u:p', host: 'host:1', path: '/path', query: '?q=1', fragment: '#f' },
  ],
  ['/abs/../path', { path: '/abs/../path' }],
  ['mailto:a@b', { scheme: 'mailto', opaque: 'a@b' }],
  ['https://[::1]:443', { scheme: 'https', host: '[::1]:443' }],
])('parseUrl: the parts of %s', (text, parts) => {
  const absent = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: '', fragment: '' }
  expect(parseUrl(text)).toEqual({ ...absent, ...parts })
})

test.each([
  [':x', 'parse ":x": missing protocol scheme'],
  ['a b:c', 'parse "a b:c": first path segment in URL cannot contain colon'],
  ['https://host:port', 'parse "https://host:port": invalid port ":port" after host'],
  ['https://[::1', `parse "https://[::1": missing ']' in host`],
  ['https://a b', 'parse "https://a b": invalid character " " in host name'],
  ['https://host/%zz', 'parse "https://host/%zz": invalid URL escape "%zz"'],
  ['https://host/\u0001', 'parse "https://host/\\x01": net/url: invalid control character in URL'],
])('parseUrl: the error for %s', (text, message) => {
  expect(() => parseUrl(text)).toThrow(message)
})
