/** Under which the tags of each period are kept. */
export const tagsKey = ["tags"] as const;
