/** The field manager of the server's own writes in managedFields: the name of kube-apiserver's program. */
export const serverManager = 'kube-apiserver'
