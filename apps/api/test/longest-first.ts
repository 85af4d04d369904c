import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slowest test files, the slowest first: one that started last would run alone while other processors are idle. */
const slowest = [
  'modules/library/items/hostile.routes.long',
  'modules/library/items/long-scans.routes.long',
  'server',
  'parsers/ocr/ocr-tesseract.long',
  'trash',
  'modules/library/items/motions.routes',
  'modules/admin/backups/restore',
  'access',
  'token-scopes',
  'modules/admin/backups/restore-tables',
  'platform/queue/queue',
  'modules/library/items/videos.routes',
  'parsers/video/av',
  'modules/library/items/crash.long',
  'platform/database/maintenance.long',
  'engines/local/local-ai',
  'platform/database/embedded',
  'modules/chat/turns/faults.routes',
  'modules/library/imports/imports.routes',
].map((name) => `/src/${name}.test.ts`)

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = slowest.findIndex((name) => moduleId.endsWith(name))
  return rank === -1 ? slowest.length : rank
}

/** Runs the slowest files of each project first: without earlier runs, Vitest knows only file sizes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return Object.values(Object.groupBy(sorted, ({ project }) => project.name)).flatMap((ofProject = []) =>
      ofProject.toSorted((one, other) => rankOf(one) - rankOf(other)),
    )
  }
}
