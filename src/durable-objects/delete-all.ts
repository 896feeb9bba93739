import type { Kernel } from '../controllers/kernel.ts'

/** The message of the error with which an object ends itself when its data is deleted. */
export const clusterDeleted = 'the cluster was deleted'

/** Deletes all data of an object with its cluster and ends the instance: the request fails with `clusterDeleted`. */
export async function deleteAll({ ctx, store, restart }: Kernel): Promise<void> {
  store.closeWatches('')
  await ctx.storage.deleteAlarm()
  await ctx.storage.deleteAll()
  await restart(clusterDeleted)
}
