import { newStore } from '../workerd/stores.ts'
import { describeStore } from './store.ts'

describeStore('SqliteStore', newStore)
