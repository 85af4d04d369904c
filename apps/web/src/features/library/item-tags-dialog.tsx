import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeMediaTags } from '../../lib/api/library.ts'
import { TagsDialog } from '../../lib/components/tags-dialog.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { changeItems, type GridItem, type GridPage } from './library-items.ts'
import { libraryKey, refetchLists, tagsQuery } from './library-queries.ts'

/** Adds tags to several items, or removes tags from them. */
export function ItemTagsDialog({ items, onClose }: ItemTagsDialogProps) {
  const text = useText('gallery')
  const queryClient = useQueryClient()
  const { data: existingTags = [] } = useQuery(tagsQuery)
  return (
    <TagsDialog
      entries={items}
      existingTags={existingTags}
      labels={{
        title: text('tags.title', { count: items.length }),
        add: text('tags.add'),
        hint: text('tags.hint'),
        all: text('tags.all'),
        save: text('tags.save'),
      }}
      onSave={async (change) => {
        const ids = items.map(({ id }) => id)
        await changeMediaTags(ids, change)
        // avoids fetching a long list again
        queryClient.setQueriesData<InfiniteData<GridPage>>(
          { queryKey: libraryKey },
          (data) => data && { ...data, pages: changeItems(data.pages, new Set(ids), (item) => withTags(item, change)) },
        )
        await Promise.all([refetchLists(queryClient), queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey })])
      }}
      onClose={onClose}
    />
  )
}

function withTags(item: GridItem, { add, remove }: { add: string[]; remove: string[] }): GridItem {
  return { ...item, tags: [...new Set([...item.tags, ...add])].filter((tag) => !remove.includes(tag)) }
}

type ItemTagsDialogProps = { items: readonly GridItem[]; onClose: () => void }
