import { dirname } from 'node:path'
import { StaticTokens } from '../auth/static-tokens.ts'
import { enabledAdmissionPlugins } from '../config/admission/plugin-names.ts'
import { settingValues } from '../config/settings.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { StartOptions } from './options.ts'
import { completeAuthorization, completeKubeconfig, readObject } from './secret-files.ts'

/** The Worker's settings that come from files: authentication, authorization, admission and the audit webhook. */
export interface AccessSettings {
  /** By the names of its variables; '' if there is no file. */
  readonly texts: Readonly<Record<string, string>>
  /** Certificate authorities of issuers' and webhooks' own, PEM, each once. */
  readonly authorities: readonly string[]
}

/** A file of the operator's, and the setting that it becomes. */
interface Source {
  readonly setting: string
  readonly file: string | undefined
  /** Replaces the names of further files by their texts. */
  readonly complete?: (value: unknown, directory: string) => Promise<unknown>
  /** Gives the authorities that the file names. Throws Error if the Worker could not use it. */
  readonly check: (json: string) => Promise<readonly (string | undefined)[]>
}

/**
 * Reads the files that the operator has named, and checks them: a server that could not use them would refuse everybody.
 * @throws LauncherError if a file cannot be read or is wrong
 */
export async function accessSettings(options: StartOptions): Promise<AccessSettings> {
  const texts: Record<string, string> = {}
  const authorities = new Set<string>()
  for (const { setting, file, complete = unchanged, check } of sourcesOf(options)) {
    texts[setting] = ''
    if (file === undefined) continue
    try {
      const json = JSON.stringify(await complete(await readObject(file), dirname(file)))
      for (const authority of await check(json)) if (authority !== undefined) authorities.add(authority)
      texts[setting] = json
    } catch (error) {
      throw new LauncherError(`The file ${file} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
    }
  }
  return { texts, authorities: [...authorities] }
}

/** Readers are not loaded for servers without such files. */
function sourcesOf(options: StartOptions): readonly Source[] {
  const { files } = options
  return [
    admissionSource(options),
    {
      setting: 'AUTHENTICATION_CONFIGURATION',
      file: files.authenticationConfiguration,
      check: async (json) => {
        const { readAuthenticationConfiguration } = await import('../auth/configuration.ts')
        return readAuthenticationConfiguration(json).jwt.map((issuer) => issuer.certificateAuthority)
      },
    },
    {
      setting: 'STATIC_TOKENS',
      file: files.staticTokens,
      check: async (json) => {
        new StaticTokens('', json)
        return []
      },
    },
    {
      setting: 'AUTHENTICATION_TOKEN_WEBHOOK',
      file: files.authenticationTokenWebhook,
      complete: completeKubeconfig,
      check: async (json) => {
        const { readEndpoint } = await import('../auth/webhook/endpoint.ts')
        return [readEndpoint(json, 'the kubeconfig of the webhook').certificateAuthority]
      },
    },
    {
      setting: 'AUDIT_WEBHOOK',
      file: files.auditWebhook,
      complete: completeKubeconfig,
      check: async (json) => {
        const { readAuditWebhook } = await import('../auth/webhook/audit-webhook.ts')
        return [readAuditWebhook(settingValues({ ...options.settings, AUDIT_WEBHOOK: json }))?.endpoint.certificateAuthority]
      },
    },
    {
      setting: 'AUTHORIZATION_CONFIGURATION',
      file: files.authorizationConfiguration,
      complete: completeAuthorization,
      check: async (json) => {
        const { readAuthorizationConfiguration } = await import('../auth/authorization-configuration.ts')
        return readAuthorizationConfiguration(json).map((one) => (one === 'RBAC' ? undefined : one.endpoint.certificateAuthority))
      },
    },
  ]
}

function admissionSource({ files, settings }: StartOptions): Source {
  return {
    setting: 'ADMISSION_CONFIGURATION',
    file: files.admissionConfiguration,
    complete: async (value, directory) => {
      const { ENABLE_ADMISSION_PLUGINS = '', DISABLE_ADMISSION_PLUGINS = '' } = settings
      const { completeAdmission } = await import('./admission-files.ts')
      return completeAdmission(value, directory, enabledAdmissionPlugins(ENABLE_ADMISSION_PLUGINS, DISABLE_ADMISSION_PLUGINS))
    },
    check: async (json) => {
      const { readAdmissionSettings } = await import('../config/admission/settings.ts')
      const { readImagePolicyEndpoint, readWebhookCredentials } = await import('../auth/webhook/server-credentials.ts')
      const { imagePolicy, mutatingWebhooks, validatingWebhooks } = readAdmissionSettings({
        ...settings,
        ADMISSION_CONFIGURATION: json,
      })
      for (const kubeconfig of [mutatingWebhooks, validatingWebhooks]) readWebhookCredentials(kubeconfig)
      return imagePolicy === undefined ? [] : [readImagePolicyEndpoint(imagePolicy).certificateAuthority]
    },
  }
}

const unchanged = async (value: unknown): Promise<unknown> => value
