import type { Config } from './config.ts'
import type { Ai } from './engines/ai.ts'
import type { Log } from './log.ts'
import type { PictureFiles } from './parsers/image/picture-files.ts'
import type { PictureProcesses } from './parsers/image/picture-processes.ts'
import type { Database } from './platform/database/client.ts'
import type { UnreferencedFiles } from './platform/database/unreferenced-files.ts'
import type { Events } from './platform/events/events.service.ts'
import type { UntrustedProxies } from './platform/http/client-address.ts'
import type { SignedPaths } from './platform/http/signed-url.ts'
import type { WebFetcher } from './platform/net/web-fetcher.ts'
import type { Queue } from './platform/queue/queue.ts'
import type { Sandboxing } from './platform/sandbox/sandboxing.ts'
import type { SettingsService } from './platform/settings/settings.service.ts'
import type { Files } from './platform/storage/files.ts'
import type { RequireSpace } from './platform/storage/require-space.ts'
import type { WithTempFolder } from './platform/storage/scratch.ts'

/** Dependencies that many modules share; built once, in foundations.ts. */
export interface Common extends Pick<PictureProcesses, 'images' | 'pixels'> {
  config: Config
  log: Log
  /** Signs and verifies tokens; the same on every server of an instance. */
  jwtSecret: string
  database: Database
  queue: Queue
  untrustedProxies: UntrustedProxies
  settings: SettingsService
  files: Files
  unreferencedFiles: UnreferencedFiles
  sandboxing: Sandboxing
  pictures: PictureProcesses
  withTempFolder: WithTempFolder
  pictureFiles: PictureFiles
  ai: Ai
  events: Events
  /** Fetcher for addresses that come from users or their feeds. */
  fetcher: WebFetcher
  signedPaths: SignedPaths
  signPath: SignedPaths['sign']
  requireSpace: RequireSpace
}
