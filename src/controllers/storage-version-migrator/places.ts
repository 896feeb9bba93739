/** The places in collections that running migrations have reached. They are stored, so that a restart goes on there. */
import type { ObjectMeta } from '../../meta/object-meta.ts'

/** The key prefix of the places. */
const prefix = 'storage-migration/'

interface Place {
  /** The migration's: a later one with its name begins from the start. */
  readonly uid: string
  /** The token of the next page. */
  readonly continue: string
}

/** The places of the migrations of one cluster. */
export class MigrationPlaces {
  readonly #kv: SyncKvStorage

  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>) {
    this.#kv = kv
  }

  /** Returns the token of the page that a migration has reached; '' at the beginning. */
  get({ name = '', uid }: ObjectMeta): string {
    const place = this.#kv.get<Place>(prefix + name)
    return place !== undefined && place.uid === uid ? place.continue : ''
  }

  set({ name = '', uid = '' }: ObjectMeta, token: string): void {
    this.#kv.put<Place>(prefix + name, { uid, continue: token })
  }

  forget(name: string): void {
    this.#kv.delete(prefix + name)
  }
}
