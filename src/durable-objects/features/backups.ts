import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import { errorResponse } from '../../clusters/wire-error.ts'
import type { Backup } from '../backup/backup.ts'
import { beingRestored, type Restoration } from '../backup/restore.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The names of the messages about backups and restores. */
type BackupMessage = 'readBackup' | 'backupState' | 'stage' | 'staged' | 'empty' | 'fill' | 'recover' | 'hold' | 'raise'

/**
 * Backups and restores. While the contents are being replaced, the object answers nothing else, and does no work.
 * @param continueRestore goes on with the restore of a cluster in its alarm
 */
export const backups = (
  backup: Backup,
  restoration: Restoration,
  continueRestore: () => Promise<void> = async () => undefined,
): FeatureOf<ObjectProtocol, BackupMessage> => ({
  jobs: [restoration],
  admit: (_, message) => {
    const isAnswered = !restoration.isRestoring || message?.answeredWhile.includes('restored') === true
    return isAnswered ? undefined : errorResponse(beingRestored())
  },
  beforeAlarm: async () => {
    if (!restoration.isRestoring) return 'go on'
    await continueRestore()
    return 'done'
  },
  handlers: {
    readBackup: () => backup.read(),
    backupState: () => restoration.state(),
    stage: ({ text, fields: { id, clusters } }) => restoration.stage(id, text, clusters === 'unsigned' ? clusters : 'signed'),
    staged: ({ id }) => restoration.staged(id),
    empty: ({ id }) => restoration.empty(id),
    fill: (contents) => restoration.fill(contents),
    recover: (storage) => restoration.recover(storage),
    hold: (names) => restoration.hold(names),
    raise: (version) => restoration.raise(version),
  },
})
