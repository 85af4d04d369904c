import type { ChatSessionJson, ProjectJson } from '@mira/shared'
import { useState } from 'react'
import { dialogLater } from '../../../ui/dialog-later.tsx'

const MoveDialog = dialogLater(() => import('../projects/move-dialog.tsx').then((module) => module.MoveDialog))
const ProjectDialog = dialogLater(() => import('../projects/project-dialog.tsx').then((module) => module.ProjectDialog))
const SessionTagsDialog = dialogLater(() =>
  import('./session-tags-dialog.tsx').then((module) => module.SessionTagsDialog),
)
const ShareDialog = dialogLater(() => import('../shares/share-dialog.tsx').then((module) => module.ShareDialog))

interface SessionDialogsOptions {
  onMoved: () => void
  onProjectSaved: (project: ProjectJson) => void
}

/** The dialogs of the list of conversations: what opens them, and those that are open. */
export function useSessionDialogs({ onMoved, onProjectSaved }: SessionDialogsOptions) {
  const [shared, share] = useState<ChatSessionJson | null>(null)
  const [tagged, tag] = useState<readonly ChatSessionJson[] | null>(null)
  const [moved, move] = useState<readonly ChatSessionJson[] | null>(null)
  /** Undefined while none is written; null for a new one. */
  const [edited, editProject] = useState<ProjectJson | null>()
  const shown = (
    <>
      {edited !== undefined && (
        <ProjectDialog
          key={edited?.id ?? 'new'}
          project={edited}
          onSaved={onProjectSaved}
          onClose={() => editProject(undefined)}
        />
      )}
      {moved && <MoveDialog sessions={moved} onMoved={onMoved} onClose={() => move(null)} />}
      {tagged && <SessionTagsDialog sessions={tagged} onClose={() => tag(null)} />}
      {shared && <ShareDialog key={shared.id} session={shared} onClose={() => share(null)} />}
    </>
  )
  return { share, tag, move, editProject, shown }
}
