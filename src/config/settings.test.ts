import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allRows, flagValues, type SettingTexts, settingRows, settingValues } from './settings.ts'

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
const variables = settingRows.map(([, { variable }]) => variable)

describe('values', () => {
  test('without variables, and with empty ones, the defaults count', () => {
    const empty = Object.fromEntries(variables.map((variable) => [variable, '']))
    expect(settingValues(empty)).toEqual(settingValues({}))
    expect(settingValues({})).toMatchObject({ historySeconds: 300, serviceCidr: '10.0.0.0/16', placement: 'collections' })
  })

  test('variables of wrangler.toml may be numbers and objects', () => {
    const texts = { CACHE_MEGABYTES: 16, CLUSTER_OWNER_LIMITS: { clusters: 3 } } as unknown as SettingTexts
    expect(settingValues(texts)).toMatchObject({ cacheMegabytes: 16, clusterOwnerLimits: { clusters: 3 } })
  })

  test('documents and secrets may be split', () => {
    const texts = { PROXY_CLIENT_KEY_PARTS: '2', PROXY_CLIENT_KEY_1: 'a', PROXY_CLIENT_KEY_2: 'b' } as SettingTexts
    expect(settingValues(texts).proxyClientKey).toBe('ab')
  })

  test.each<[SettingTexts, string]>([
    [
      { LOCATION: 'moon' },
      'LOCATION: must be one of wnam, enam, sam, weur, eeur, apac, apac-ne, apac-se, oc, afr, me, not "moon"',
    ],
    [{ JURISDICTION: 'uk' }, 'JURISDICTION: must be one of eu, fedramp, fedramp-high, us, not "uk"'],
    [{ CLUSTER_EGRESS: 'http://a' }, 'CLUSTER_EGRESS: "http://a" is no host name, address or CIDR'],
    [{ CLUSTER_OWNER_LIMITS: '[]' }, 'CLUSTER_OWNER_LIMITS: must be an object'],
    [{ CLUSTER_DOMAIN: 'Example.com' }, 'CLUSTER_DOMAIN: must be a domain in lower case'],
    [{ HISTORY_SECONDS: '0' }, 'HISTORY_SECONDS: must be a number of seconds from 1 to 2592000, not "0"'],
    [{ USER_RATE: 'many' }, 'USER_RATE: a rate is REQUESTS_PER_SECOND or REQUESTS_PER_SECOND:BURST, not "many"'],
    [{ PUBLIC_PAGE: 'yes' }, 'PUBLIC_PAGE: must be enabled or absent, not "yes"'],
  ])('%j is an error that names the setting', (texts, message) => {
    expect(() => settingValues(texts)).toThrow(message)
  })
})

test.each(['.example.com', 'Example.com', 'example.com/', 'a b', '*.example.com'])('%j is no CLUSTER_DOMAIN', (domain) => {
  expect(() => settingValues({ CLUSTER_DOMAIN: domain })).toThrow('CLUSTER_DOMAIN: must be a domain in lower case')
})

test('/flagz shows options with the default of an absent setting, and neither files nor secrets', () => {
  const shown = flagValues({ CONTROLLERS: '*,-a', ADMIN_TOKEN: 'secret', STATIC_TOKENS: '[]', WATCHES: '' })
  expect(shown).toMatchObject({ controllers: '*,-a', watches: 'sockets', 'livez-grace-period': '0s' })
  expect(Object.values(shown).join()).not.toContain('secret')
  expect(Object.keys(shown)).toEqual(Object.keys(shown).sort())
  expect(shown).not.toHaveProperty('static-tokens')
})

test('every variable and every option has one row', () => {
  const flags = allRows.flatMap(([, { flag, deprecated }]) => [flag, deprecated?.flag].filter((name) => name !== undefined))
  expect([new Set(variables).size, new Set(flags).size]).toEqual([variables.length, flags.length])
})

describe('docs/configuration.md', () => {
  const page = read('docs/configuration.md')
  const cells = [...page.matchAll(/^\| `([A-Z_]+)` +\| *(.*?) *\| (.*?) *\|$/gm)]
  const settings = cells.filter(([, , , meaning = '']) => !/^a (?:rate limiting )?binding\b/.test(meaning))
  const documented = new Map(settings.map(([, name = '', byDefault = '']) => [name, byDefault]))
  // docs/operations.md has these, by their options.
  const isOfWebhook = (variable: string): boolean => variable.startsWith('AUDIT_WEBHOOK_')

  test('has a row for each setting, and no other', () => {
    expect([...documented.keys()].sort()).toEqual(variables.filter((variable) => !isOfWebhook(variable)).sort())
  })

  test('has the defaults of the table', () => {
    for (const [, { variable, default: byDefault }] of settingRows) {
      if (byDefault !== undefined && !isOfWebhook(variable)) expect(documented.get(variable), variable).toBe(byDefault)
    }
  })
})

test('wrangler.toml has settings with their defaults, but for the placement of previews', () => {
  const [, deployment = '', previews = ''] =
    /^\[vars\]\n([^[]*)[\s\S]*^\[previews\.vars\]\n([^[]*)/m.exec(read('wrangler.toml')) ?? []
  const textsIn = (table: string): SettingTexts =>
    Object.fromEntries([...table.matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name, text]) => [name, text]))
  expect(Object.keys(textsIn(deployment)).length).toBeGreaterThan(4)
  expect(
    [...Object.keys(textsIn(deployment)), ...Object.keys(textsIn(previews))].filter((name) => !variables.includes(name)),
  ).toEqual([])
  expect(settingValues(textsIn(deployment))).toEqual(settingValues({}))
  expect(settingValues(textsIn(previews))).toEqual({ ...settingValues({}), placement: 'one-object' })
})
