import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, the longest first: one of them that began last would go on alone, with processors left over. */
const longest = [
  'modules/library/items/hostile.routes.long',
  'modules/library/items/long-scans.routes.long',
  'server',
  'parsers/ocr/ocr-tesseract',
  'trash',
  'modules/library/items/motions.routes',
  'modules/admin/backups/restore',
  'access',
  'token-scopes',
  'modules/admin/backups/restore-tables',
  'platform/queue/queue',
  'modules/library/items/films.routes',
  'parsers/video/av',
  'modules/library/items/crash.long',
  'platform/database/maintenance.long',
  'engines/local/local-ai',
  'platform/database/embedded',
  'modules/chat/turns/faults.routes',
  'modules/library/imports/imports.routes',
].map((name) => `/src/${name}.test.ts`)

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((name) => moduleId.endsWith(name))
  return place === -1 ? longest.length : place
}

/** Begins with what takes longest, in each project: a machine that never ran the tests knows only how large their files are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return Object.values(Object.groupBy(sorted, ({ project }) => project.name)).flatMap((ofProject = []) =>
      ofProject.toSorted((one, other) => placeOf(one) - placeOf(other)),
    )
  }
}
