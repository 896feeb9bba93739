/** Headers for browsers. */
import type { SettingTable } from './setting.ts'

export const browserSettings = {
  corsAllowedOrigins: {
    variable: 'CORS_ALLOWED_ORIGINS',
    flag: 'cors-allowed-origins',
    value: 'LIST',
    help: ['regular expressions of the origins from which browsers may ask, separated by commas'],
    at: ['worker'],
  },
  strictTransportSecurity: {
    variable: 'STRICT_TRANSPORT_SECURITY',
    flag: 'strict-transport-security-directives',
    value: 'LIST',
    help: ['directives of that header, separated by commas'],
    at: ['worker'],
  },
} as const satisfies SettingTable
