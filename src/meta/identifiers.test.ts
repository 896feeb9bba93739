import { expect, test } from 'vitest'
import {
  isCIdentifier,
  isConfigMapKey,
  isEnvVarName,
  isHttpHeaderName,
  isPercent,
  isPortName,
  isRelaxedEnvVarName,
  isWildcardDns1123Subdomain,
} from './identifiers.ts'

test('ConfigMap and Secret keys', () => {
  expect(isConfigMapKey('a.B_c-9')).toEqual([])
  expect(isConfigMapKey('..')).toEqual(["must not be '..'"])
  expect(isConfigMapKey('..a')).toEqual(["must not start with '..'"])
  expect(isConfigMapKey('a b')).toEqual([
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ])
  expect(isConfigMapKey('k'.repeat(254))).toEqual(['must be no more than 253 characters'])
})

test('environment variable names', () => {
  expect(isEnvVarName('my.env-name')).toEqual([])
  expect(isEnvVarName('1a')).toHaveLength(1)
  expect(isRelaxedEnvVarName('1 a')).toEqual([])
  expect(isRelaxedEnvVarName('')).toEqual(['environment variable name must be non-empty'])
  for (const bad of ['a=b', 'é', 'a\n', '\x7f']) {
    expect(isRelaxedEnvVarName(bad)).toEqual([
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    ])
  }
})

test('port names', () => {
  expect(isPortName('http-2')).toEqual([])
  expect(isPortName('')).toEqual([
    'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    'must contain at least one letter (a-z)',
  ])
  expect(isPortName('-80--x0123456789')).toEqual([
    'must be no more than 15 characters',
    'must not contain consecutive hyphens',
    'must not begin or end with a hyphen',
  ])
})

test('C identifiers, percentages, HTTP header names and wildcard subdomains', () => {
  expect(isCIdentifier('_a1')).toEqual([])
  expect(isCIdentifier('1a')).toHaveLength(1)
  expect(isPercent('25%')).toEqual([])
  expect(isPercent('25')).toHaveLength(1)
  expect(isHttpHeaderName('X-A')).toEqual([])
  expect(isHttpHeaderName('X A')).toHaveLength(1)
  expect(isWildcardDns1123Subdomain('*.a.b')).toEqual([])
  expect(isWildcardDns1123Subdomain('*.*.b')).toHaveLength(1)
  expect(isWildcardDns1123Subdomain(`*.${'a'.repeat(252)}`)).toEqual(['must be no more than 253 characters'])
})
