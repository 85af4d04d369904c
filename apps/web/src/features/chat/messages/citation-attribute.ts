/** Attribute that marks a link as a citation; Markdown text can't set it. */
export const CITATION = 'data-citation'
