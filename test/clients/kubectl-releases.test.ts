/** kubectl against clusters that emulate older releases, with the kinds of these releases. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClusterServer, startClusterServer } from '../http/cluster-server.ts'
import { callerOf, type Outcome, testedReleases } from './releases.ts'

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
const selector = { matchLabels: { app: 'web' } }
const job = { ...template.spec, restartPolicy: 'Never' }
const metadata = { name: 'story' }

interface Story {
  /** The objects, in versions of the release. */
  readonly objects: readonly { readonly apiVersion: string; readonly kind: string }[]
  /** A group version that the release does not serve. */
  readonly absent: string
  /** The text of a warning; absent if nothing in the story is deprecated. */
  readonly warning?: string
}

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector, template } }
const cronJob = (version: string): Story['objects'][number] => ({
  apiVersion: `batch/${version}`,
  kind: 'CronJob',
  ...{ metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: job } } } } },
})
const disruptionBudget = (version: string): Story['objects'][number] => ({
  apiVersion: `policy/${version}`,
  kind: 'PodDisruptionBudget',
  ...{ metadata, spec: { minAvailable: 1, selector } },
})
const oldIngress = {
  apiVersion: 'networking.k8s.io/v1beta1',
  kind: 'Ingress',
  ...{ metadata, spec: { rules: [{ http: { paths: [{ path: '/', backend: { serviceName: 'web', servicePort: 80 } }] } }] } },
}
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  ...{ metadata, spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
}
const rule = { rule: 'RunAsAny' }
const securityPolicy = {
  apiVersion: 'policy/v1beta1',
  kind: 'PodSecurityPolicy',
  ...{ metadata, spec: { seLinux: rule, runAsUser: rule, supplementalGroups: rule, fsGroup: rule } },
}
const deviceClass = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata, spec: {} }

/** A story for each release. */
const stories: Readonly<Record<string, Story>> = {
  '1.16': {
    objects: [deployment, cronJob('v1beta1'), disruptionBudget('v1beta1'), oldIngress, securityPolicy],
    absent: 'policy/v1',
  },
  '1.21': {
    objects: [deployment, cronJob('v1beta1'), disruptionBudget('v1'), oldIngress, securityPolicy],
    absent: 'apps/v1beta1',
    warning: 'batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
  },
  '1.25': { objects: [deployment, cronJob('v1'), disruptionBudget('v1'), ingress], absent: 'policy/v1beta1' },
  '1.32': { objects: [deployment, cronJob('v1'), disruptionBudget('v1'), ingress], absent: 'resource.k8s.io/v1' },
  '1.36': { objects: [deployment, cronJob('v1'), ingress, deviceClass], absent: 'autoscaling/v2beta2' },
}

const clients = testedReleases()
const chosen = process.env.ALL_RELEASES === undefined ? ['1.21', '1.25'] : Object.keys(stories)

const folder = mkdtempSync(join(tmpdir(), 'edgeplane-releases-'))
let server: ClusterServer

const clusterOf = (release: string): string => `r${release.replace('.', '-')}`
const fileOf = (release: string): string => join(folder, `${release}.kubeconfig`)

beforeAll(async () => {
  server = await startClusterServer()
  for (const release of chosen) {
    await server.make(clusterOf(release), { emulatedRelease: release })
    writeFileSync(fileOf(release), await server.kubeconfigOf(clusterOf(release)))
  }
}, 60_000)

afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(clients)('%s', (_name, path) => {
  test.each(chosen)(
    'with the kinds of %s',
    async (release) => {
      const story = stories[release]
      const call = callerOf(path, () => server)
      const kubectl = (args: readonly string[], input?: string): Promise<Outcome> =>
        call(args, { env: { KUBECONFIG: fileOf(release), HOME: join(folder, release) }, ...(input !== undefined && { input }) })
      const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: story?.objects })

      const versions = (await kubectl(['api-versions'])).stdout.split('\n')
      for (const { apiVersion } of story?.objects ?? []) expect(versions).toContain(apiVersion)
      expect(versions).not.toContain(story?.absent)

      const applied = await kubectl(['apply', '-f', '-'], manifest)
      expect(applied.code, applied.stderr).toBe(0)
      expect(applied.stderr.includes(`Warning: ${story?.warning ?? ''}`)).toBe(story?.warning !== undefined)
      expect(applied.stdout.match(/ created$/gm)).toHaveLength(story?.objects.length ?? 0)

      const shown = await kubectl(['get', '-o', 'json', '-f', '-'], manifest)
      const items: Story['objects'] = JSON.parse(shown.stdout).items
      expect(items.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(
        story?.objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
      )
      const explained = await kubectl(['explain', 'cronjob.spec.schedule'])
      expect(explained.stdout).toContain(`VERSION:${' '.repeat(4)}`)

      const deleted = await kubectl(['delete', '--wait=false', '-f', '-'], manifest)
      expect(deleted.code, deleted.stderr).toBe(0)
    },
    60_000,
  )
})
