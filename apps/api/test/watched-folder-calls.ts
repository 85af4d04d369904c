import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedFilesResponseJson, WatchedFolderJson } from '@mira/shared'
import type { TestAccount, TestApp } from './test-app.ts'

export type WatchedFolderCalls = ReturnType<typeof watchedFolderCallsOf>

/** An administrator's calls about watched folders whose files are copied to an account. */
export function watchedFolderCallsOf(mira: TestApp, account: TestAccount) {
  const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const request = mira.request[method](`/api/admin/watched-folders${path}`).auth(mira.admin.token, { type: 'bearer' })
    return body === undefined ? request : request.send(body)
  }

  /** Waits until a requested scan ends. */
  async function waitForScan(id: string): Promise<WatchedFolderJson> {
    for (let tries = 0; tries < 300; tries++) {
      const { body } = await call('get', '').expect(200)
      const folder = (body.folders as WatchedFolderJson[]).find((folder) => folder.id === id)!
      if (!folder.scanning && (folder.scanned_at !== null || folder.problem !== null)) return folder
      await sleep(50)
    }
    throw new Error('the folder was not scanned')
  }

  return {
    call,

    /** Watches a folder, and waits for its first scan. */
    async watch(path: string): Promise<WatchedFolderJson> {
      const { body } = await call('post', '', { path, user_id: account.user.id }).expect(201)
      return waitForScan(body.id)
    },

    /** Scans the folder again. */
    async rescan(id: string): Promise<WatchedFolderJson> {
      const forget = 'UPDATE watched_folders SET scanned_at = NULL, problem = NULL WHERE id = $1'
      await mira.context.database.pool.query(forget, [id])
      await call('post', `/${id}/scan`).expect(202)
      return waitForScan(id)
    },

    /** Names of the account's items, in alphabetical order. */
    async itemNames() {
      const items = await mira.context.database.prisma.mediaItem.findMany({
        where: { userId: account.user.id },
        orderBy: { originalFilename: 'asc' },
      })
      return items.map(({ originalFilename }) => originalFilename)
    },

    async filesOf(id: string): Promise<WatchedFilesResponseJson['files']> {
      return (await call('get', `/${id}/files`).expect(200)).body.files
    },
  }
}
