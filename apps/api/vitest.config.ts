import { readdirSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { excludedDatabaseTests, excludedLongTests } from '../../scripts/long-tests.ts'
import { LongestFirst } from './test/longest-first.ts'

const withoutDatabase = [
  'src/access.test.ts',
  'src/{engines,parsers,offline}/**',
  'src/platform/{http,lib,messages,net,sandbox,storage}/**',
  'src/modules/chat/agents/kinds/**',
  'src/platform/database/{additive-migrations,availability,drift,lock,restored-folders}.test.ts',
  'src/modules/studio/effects/{catalogue,effects.routes,item-sources.routes}.test.ts',
  'src/modules/library/items/{documents,videos,hostile,phone-pictures}.routes*.test.ts',
  'src/modules/admin/models/models.routes.test.ts',
  'src/modules/{library/web-pages/pages,chat/voice/voice,chat/web/web}.routes.test.ts',
  'src/modules/admin/system/openapi.routes.test.ts',
  'test/**',
]

// What ends processes or workers, decodes much in its own process, is about how the database is kept, has a disk that fails,
// or goes by a clock that others set: each of these files has a process of its own, which takes some seconds of a processor
// when it loads the app and opens a database. All others share a process for each worker, which does that once.
const own = [
  'src/{engines/local,platform/sandbox}/**/*.test.ts',
  'src/parsers/video/{av,ffmpeg/run-program}.test.ts',
  // reading pictures in the app's process turns SVG off for all of it, which draws the pictures of these tests
  'src/parsers/{ocr/find-text,ocr/ocr-tesseract.long,office/paper-reader,pdf/pdf-reader}.test.ts',
  'src/parsers/image/{picture-processes,phone/phone-pictures}.test.ts',
  'src/platform/net/safe-fetcher.test.ts',
  'src/platform/database/{drift,embedded,lock,maintenance.long,migrate,new-id,pooler,restored-folders,server}.test.ts',
  'src/platform/queue/queue{,.recovery.long}.test.ts',
  'src/platform/storage/whole-file.test.ts',
  'src/{server,roles}.test.ts',
  'src/modules/admin/backups/restore{,-leftovers,-server}.test.ts',
  'src/modules/studio/effects/{catalogue,effect-pool}.test.ts',
  'src/modules/library/items/crash.long.test.ts',
]

// on another database, what never sees one, and what is about files, other servers or what is refused before a database
// is asked, has nothing new to tell
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
const sources = files.filter((file) => file.startsWith('src/'))
const exclude = [
  ...configDefaults.exclude,
  ...excludedLongTests(sources),
  ...(process.env.TEST_DATABASE_URL === undefined ? [] : [...withoutDatabase, ...excludedDatabaseTests(sources)]),
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{src,test}/**/*.test.ts'],
          exclude: [...exclude, ...own],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
          env: { TEST_SHARES_WORKER: '1' },
        },
      },
      // a process that ends soon has no use for faster code of its database: making it is a sixth of what one takes
      { extends: true, test: { name: 'own', include: own, exclude, execArgv: ['--liftoff-only'] } },
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/copied-databases.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // a worker that waits (for timers, files, other processes) does so for a quarter of its time: a third one uses that of
    // two processors
    maxWorkers: 3,
    // a shared machine may be three times slower than usual; these cost only what fails
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
