/* runtime_graphs.h - captures and graphs; runtime_functions.h includes it. C and C++. */
#ifndef LANEWISE_CUDA_RUNTIME_GRAPHS_H
#define LANEWISE_CUDA_RUNTIME_GRAPHS_H

#ifdef __cplusplus
extern "C" {
#endif

LW_CUDA_API cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
LW_CUDA_API cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies, const void *edges,
                                          size_t count, enum cudaStreamCaptureMode mode);
LW_CUDA_API cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
LW_CUDA_API cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
LW_CUDA_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id LW_DEFAULT(0),
                                     cudaGraph_t *graph LW_DEFAULT(0),
                                     const cudaGraphNode_t **dependencies LW_DEFAULT(0),
                                     size_t *count LW_DEFAULT(0));
LW_CUDA_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                size_t count, unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

LW_CUDA_API cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
LW_CUDA_API cudaGraphDestroy(cudaGraph_t graph);
LW_CUDA_API cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
LW_CUDA_API cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone);
LW_CUDA_API cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
LW_CUDA_API cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
LW_CUDA_API cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
LW_CUDA_API cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              size_t *count);
LW_CUDA_API cudaGraphDestroyNode(cudaGraphNode_t node);
LW_CUDA_API cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);

/* `dependencies` are the `count` nodes that end before the new one begins. */
#define LW_NEW_NODE                                                                                \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count
LW_CUDA_API cudaGraphAddEmptyNode(LW_NEW_NODE);
LW_CUDA_API cudaGraphAddNode(LW_NEW_NODE, struct cudaGraphNodeParams *parameters);
LW_CUDA_API cudaGraphAddKernelNode(LW_NEW_NODE, const struct cudaKernelNodeParams *parameters);
LW_CUDA_API cudaGraphAddMemcpyNode(LW_NEW_NODE, const struct cudaMemcpy3DParms *parameters);
LW_CUDA_API cudaGraphAddMemcpyNode1D(LW_NEW_NODE, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind);
LW_CUDA_API cudaGraphAddMemcpyNodeToSymbol(LW_NEW_NODE, const void *symbol, const void *from,
                                           size_t bytes, size_t offset, enum cudaMemcpyKind kind);
LW_CUDA_API cudaGraphAddMemcpyNodeFromSymbol(LW_NEW_NODE, void *to, const void *symbol,
                                             size_t bytes, size_t offset, enum cudaMemcpyKind kind);
LW_CUDA_API cudaGraphAddMemsetNode(LW_NEW_NODE, const struct cudaMemsetParams *parameters);
LW_CUDA_API cudaGraphAddHostNode(LW_NEW_NODE, const struct cudaHostNodeParams *parameters);
LW_CUDA_API cudaGraphAddChildGraphNode(LW_NEW_NODE, cudaGraph_t child);
LW_CUDA_API cudaGraphAddEventRecordNode(LW_NEW_NODE, cudaEvent_t event);
LW_CUDA_API cudaGraphAddEventWaitNode(LW_NEW_NODE, cudaEvent_t event);
LW_CUDA_API cudaGraphAddMemAllocNode(LW_NEW_NODE, struct cudaMemAllocNodeParams *parameters);
LW_CUDA_API cudaGraphAddMemFreeNode(LW_NEW_NODE, void *p);
#undef LW_NEW_NODE
LW_CUDA_API cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *parameters);
LW_CUDA_API cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *parameters);
LW_CUDA_API cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *parameters);
LW_CUDA_API cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *parameters);
LW_CUDA_API cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *parameters);
LW_CUDA_API cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned value LW_DEFAULT(0),
                                             unsigned flags LW_DEFAULT(0));

LW_CUDA_API cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags LW_DEFAULT(0));
LW_CUDA_API cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags LW_DEFAULT(0));
LW_CUDA_API cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
LW_CUDA_API cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
LW_CUDA_API cudaGraphExecDestroy(cudaGraphExec_t exec);
LW_CUDA_API cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result);
LW_CUDA_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters);
LW_CUDA_API cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *parameters);
LW_CUDA_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *parameters);
LW_CUDA_API cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *parameters);
LW_CUDA_API cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value);
LW_CUDA_API cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value);
LW_CUDA_API cudaDeviceGraphMemTrim(int device);
LW_CUDA_API cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags);

#ifdef __cplusplus
}
#endif
#undef LW_CUDA_API
#undef LW_DEFAULT

#endif
