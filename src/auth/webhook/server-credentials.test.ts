import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { readWebhookCredentials } from './server-credentials.ts'

const user = (name: string): JsonObject => ({ name, user: { token: name } })

test('kubeConfigFile of WebhookAdmissionConfiguration: the user with the name of the server, or of a parent domain with *', () => {
  const names = ['a.n.svc', 'b.n.svc:444', '*.n.svc', '*.example.com:8443', '*']
  const credentials = readWebhookCredentials({ users: names.map(user) })
  const servers = ['a.n.svc:443', 'b.n.svc:444', 'c.n.svc:443', 'c.n.svc:444', 'x.y.example.com:8443', 'localhost:443']
  expect(servers.map(credentials)).toEqual(
    ['a.n.svc', 'b.n.svc:444', '*.n.svc', '*', '*.example.com:8443', '*'].map((name) => `Bearer ${name}`),
  )
})

test('kubeConfigFile of WebhookAdmissionConfiguration: the user of the current context is the default', () => {
  const contexts = [{ name: 'c', context: { user: 'current' } }]
  const credentials = readWebhookCredentials({ users: [user('current')], contexts, 'current-context': 'c' })
  expect(credentials('any:443')).toBe('Bearer current')
  expect(readWebhookCredentials(undefined)('any:443')).toBeUndefined()
})

test('kubeConfigFile of WebhookAdmissionConfiguration: unsupported credentials are an error', () => {
  const users = [{ name: '*', user: { 'client-certificate-data': 'x' } }]
  expect(() => readWebhookCredentials({ users })).toThrow('kubeconfig.users[0].user.client-certificate-data is not supported')
})
