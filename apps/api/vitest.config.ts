import { configDefaults, defineConfig } from 'vitest/config'

const withoutDatabase = [
  'src/access.test.ts',
  'src/adapters/**',
  'src/features/agents/kinds/**',
  'src/db/drift.test.ts',
  'src/features/effects/{catalogue,effects.routes,item-sources.routes}.test.ts',
  'src/features/media/{documents,films,hostile,phone-pictures}.routes.test.ts',
  'src/features/models/models.routes.test.ts',
  'src/features/{pages/pages,voice/voice,web/web}.routes.test.ts',
  'src/features/system/openapi.routes.test.ts',
  'src/http/**',
  'src/messages/**',
  'test/**',
]

// What starts servers or programs, ends things, replaces timers or variables, or is about the database itself: each of
// these files has a process of its own. All others share two processes, which load the app and open a database once.
const own = [
  'src/adapters/{ai/local,files,media,process,web}/**/*.test.ts',
  'src/db/**/*.test.ts',
  'src/jobs/**/*.test.ts',
  'src/{access,never-mix,server}.test.ts',
  'src/compose/**/*.test.ts',
  'src/features/{account,automation,backups,models}/**/*.test.ts',
  'src/features/chat/{faults.routes,text-joiner}.test.ts',
  'src/features/effects/**/*.test.ts',
  'src/features/events/events.service.test.ts',
  'src/features/media/{crash,documents.routes,films.routes,hostile.routes,partial-uploads.routes,upload.routes}.test.ts',
  'src/features/users/auth.routes.test.ts',
  'test/**/*.test.ts',
]

// on another database, what never sees one, and what is about files, other servers or what is refused before a database
// is asked, has nothing new to tell
const exclude = [...configDefaults.exclude, ...(process.env.TEST_DATABASE_URL === undefined ? [] : withoutDatabase)]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts'],
          exclude: [...exclude, ...own],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
          env: { TEST_SHARES_WORKER: '1' },
        },
      },
      { extends: true, test: { name: 'own', include: own, exclude } },
    ],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Each worker holds a database of its own: more of them than cores only wait for each other.
    maxWorkers: 2,
    testTimeout: 40_000,
    hookTimeout: 90_000,
  },
})
