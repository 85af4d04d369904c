import { Download } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { SidePanel } from '../../../ui/side-panel.tsx'
import { TabPanel, Tabs } from '../../../ui/tabs.tsx'
import {
  type Artifact,
  extensionOf,
  isRunnable,
  previewKindOf,
  ShowArtifactContext,
  tableFile,
} from '../messages/artifact.ts'
import { CodeBlock } from '../messages/code-block.tsx'
import { ArtifactPreview } from './preview.tsx'

/** Panel beside the conversation that shows code or a table from an answer. */
export function ArtifactPanel({ artifact, returnTo, onClose }: ArtifactPanelProps) {
  const text = useText('chat')
  const common = useText('app')
  const save = () => saveFile(artifact.kind === 'table' ? tableFile(artifact.rows) : codeFile(artifact))
  return (
    <SidePanel
      title={artifact.kind === 'table' ? text('markdown.table') : artifact.language || text('markdown.code')}
      closeLabel={common('common.close')}
      returnTo={returnTo}
      onClose={onClose}
      actions={
        <Button size="sm" icon={<Download aria-hidden />} onClick={save}>
          {text(artifact.kind === 'table' ? 'artifact.csv' : 'artifact.download')}
        </Button>
      }
    >
      {artifact.kind === 'table' ? <WholeTable rows={artifact.rows} /> : <Code {...artifact} />}
    </SidePanel>
  )
}

function Code({ code, language }: { code: string; language: string }) {
  const text = useText('chat')
  const kind = previewKindOf(language, code)
  const [tab, setTab] = useState<'preview' | 'code'>('preview')
  const block = (
    <div className="markdown min-h-0 flex-1 overflow-y-auto p-4">
      <ShowArtifactContext value={null}>
        <CodeBlock code={code} language={language} />
      </ShowArtifactContext>
    </div>
  )
  if (kind === null) return block
  return (
    <Tabs
      label={text('artifact.views')}
      value={tab}
      onValueChange={setTab}
      className="flex min-h-0 flex-1 flex-col px-4 pb-4"
      tabs={[
        { value: 'preview', label: text(isRunnable(kind) ? 'artifact.run' : 'artifact.preview') },
        { value: 'code', label: text('markdown.code') },
      ]}
    >
      <TabPanel value="preview" className="flex min-h-0 flex-1 flex-col pt-3">
        <ArtifactPreview kind={kind} source={code} />
      </TabPanel>
      <TabPanel value="code" className="flex min-h-0 flex-1 flex-col">
        {block}
      </TabPanel>
    </Tabs>
  )
}

function WholeTable({ rows }: { rows: string[][] }) {
  const [head = [], ...body] = rows
  return (
    <div className="markdown min-h-0 flex-1 overflow-auto p-4">
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
              <th key={column}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function codeFile({ code, language }: { code: string; language: string }) {
  // Saved as binary data, so that a browser doesn't open a page written by a model with this server's origin.
  return { blob: new Blob([code], { type: 'application/octet-stream' }), name: `code.${extensionOf(language)}` }
}

type ArtifactPanelProps = { artifact: Artifact; returnTo: Element | null; onClose: () => void }
